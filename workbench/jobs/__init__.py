"""Background jobs: work that outlives the window it was started from. `folder` says where the truth lies."""
