"""AMR parsers behind one protocol: rules over a dependency parse, and amrlib's models."""
