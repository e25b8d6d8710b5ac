"""Classes of lines, circles, triangles, quadrilaterals and conics, in the languages of answers."""

from __future__ import annotations

FIGURE_CLASSES: dict[str, tuple[dict[str, str], str]] = {
    "parallel": (
        {"position": "parallel"},
        "parallel, parallels, parallèle, parallèles, paralela, paralelas, paralelo, paralelos, parallele"
        ", parallelo, параллельны, параллельна, 平行, 互相平行, 平行である",
    ),
    "coincident": (
        {"position": "coincident"},
        "coincident, identical, the same line, the same plane, coincide, identisch, fallen zusammen"
        ", confondues, coincidentes, coincidenti, совпадают, 重合, 一致する",
    ),
    "skew": (
        {"position": "skew"},
        "skew, skew lines, windschief, non coplanaires, alabeadas, se cruzan, sghembe, reversas"
        ", скрещивающиеся, скрещиваются, 异面, 異面直線, ねじれの位置",
    ),
    "perpendicular": (
        {"position": "perpendicular"},
        "perpendicular, orthogonal, at right angles, senkrecht, rechtwinklig zueinander, perpendiculaires"
        ", perpendiculaire, orthogonaux, orthogonales, perpendiculares, perpendicolari, ortogonales"
        ", ortogonali, перпендикулярны, перпендикулярна, 垂直, 互相垂直, 直交, 垂直である",
    ),
    "intersecting": (
        {"position": "oblique perpendicular secant"},
        "intersecting, intersect, intersects, cross, meet, schneiden sich, schneidet, sécantes, sécante"
        ", se coupent, secantes, secante, se cortan, incidenti, secanti, concorrentes, пересекаются"
        ", пересекает, 相交, 交わる, two common points, two points of intersection, secant"
        ", zwei gemeinsame Punkte, deux points communs, dos puntos comunes, две общие точки, 两个公共点"
        ", 有两个公共点, 有两个交点, 两个交点",
    ),
    "tangent": (
        {"position": "tangent"},
        "tangent, tangent to, touch, touches, tangential, is a tangent, a tangent line, a tangent of"
        ", berühren sich, berührt, Tangente, tangents, tangente, tangentes, tangenti, касается, касаются"
        ", касательная, 相切, 切线, 接する, 接線, one common point, exactly one common point"
        ", exactly one point in common, exactly one point of intersection, genau ein gemeinsamer Punkt"
        ", genau einen gemeinsamen Punkt, un seul point commun, un único punto común, один общий пункт"
        ", одну общую точку, ровно одну общую точку, 有且只有一个公共点, 只有一个公共点, 仅有一个公共点"
        ", 有唯一公共点, 一个公共点, meets at exactly one point, intersects at exactly one point",
    ),
    "separate": (
        {"position": "separate"},
        "separate, disjoint, do not meet, no common points, no common point, no points in common"
        ", no points of intersection, Passante, getrennt, keine gemeinsamen Punkte, disjoints"
        ", extérieurs, exteriores, aucun point commun, ningún punto común, не пересекаются, нет общих точек"
        ", 相离, 外离, 没有公共点, 无公共点, 離れている, 共有点をもたない",
    ),
    "inside": ({"position": "inside"}, "one inside the other, 内含, 包含"),
    "concentric": (
        {"position": "concentric"},
        "concentric, konzentrisch, concentriques, concéntricas, 同心圆",
    ),
    "externally tangent": (
        {"position": "tangent", "touching": "externally"},
        "externally tangent, tangent externally, touch externally, berühren sich von außen"
        ", tangents extérieurement, tangentes exteriores, внешне касаются, 外切",
    ),
    "internally tangent": (
        {"position": "tangent", "touching": "internally"},
        "internally tangent, tangent internally, touch internally, berühren sich von innen"
        ", tangents intérieurement, tangentes interiores, внутренне касаются, 内切, 內切",
    ),
    "equilateral": (
        {"sides": "equilateral"},
        "equilateral, gleichseitig, gleichseitiges, équilatéral, equilátero, equilatero"
        ", равносторонний, 等边"
        ", 等边三角形, 正三角形",
    ),
    "isosceles": (
        {"sides": "isosceles"},
        "isosceles, gleichschenklig, gleichschenkliges, isocèle, isósceles, isoscele, равнобедренный, 等腰"
        ", 等腰三角形, 二等辺三角形",
    ),
    "scalene": (
        {"sides": "scalene"},
        "scalene, ungleichseitig, scalène, escaleno, scaleno, разносторонний, 不等边三角形",
    ),
    "right triangle": (
        {"angles": "right"},
        "right triangle, right-angled, right angled, right-angled triangle, rechtwinklig, rechtwinkliges"
        ", rectangle en, triangle rectangle, rectángulo, triángulo rectángulo, rettangolo"
        ", triangolo rettangolo, прямоугольный, прямоугольный треугольник, 直角三角形, 直角",
    ),
    "isosceles right triangle": (
        {"sides": "isosceles", "angles": "right"},
        "isosceles right triangle, right isosceles triangle, 等腰直角三角形, 直角二等辺三角形"
        ", gleichschenklig-rechtwinklig",
    ),
    "acute": ({"angles": "acute"}, "acute, spitzwinklig, acutangle, acutángulo, остроугольный, 锐角三角形"),
    "obtuse": (
        {"angles": "obtuse"},
        "obtuse, stumpfwinklig, obtusangle, obtusángulo, тупоугольный, 钝角三角形",
    ),
    "square": ({"quadrilateral": "square"}, "square, Quadrat, carré, cuadrado, quadrato, квадрат, 正方形"),
    "rectangle": (
        {"quadrilateral": "square rectangle"},
        "rectangle, Rechteck, прямоугольник, 矩形, 长方形, 長方形",
    ),
    "rhombus": (
        {"quadrilateral": "square rhombus"},
        "rhombus, Raute, losange, rombo, losango, ромб, 菱形",
    ),
    "parallelogram": (
        {"quadrilateral": "square rectangle rhombus parallelogram"},
        "parallelogram, Parallelogramm, parallélogramme, paralelogramo, parallelogramma"
        ", параллелограмм, 平行四边形, 平行四辺形",
    ),
    "trapezoid": (
        {"quadrilateral": "trapezoid"},
        "trapezoid, trapezium, Trapez, trapèze, trapecio, trapezio, трапеция, 梯形, 台形",
    ),
    "kite": ({"quadrilateral": "kite"}, "kite, Drachenviereck, cerf-volant, дельтоид, 筝形, 凧形"),
    "circle": ({"conic": "circle"}, "circle, Kreis, cercle, círculo, circunferencia, окружность, 圆, 円"),
    "ellipse": ({"conic": "ellipse"}, "ellipse, Ellipse, elipse, ellisse, эллипс, 椭圆, 楕円"),
    "parabola": ({"conic": "parabola"}, "parabola, Parabel, parabole, parábola, парабола, 抛物线, 放物線"),
    "hyperbola": ({"conic": "hyperbola"}, "hyperbola, Hyperbel, hyperbole, hipérbola, iperbole, гипербола"),
    "congruent": (
        {"similarity": "congruent"},
        "congruent, kongruent, isométriques, congruentes, congruenti, конгруэнтны, 全等, 合同",
    ),
    "SAS": (
        {"triangle criterion": "SAS"},
        "SAS, side-angle-side, side angle side, SWS, LAL, two sides and the angle between them"
        ", two sides and the included angle, zwei Seiten und der eingeschlossene Winkel"
        ", deux côtés et l'angle compris, dos lados y el ángulo comprendido"
        ", due lati e l'angolo compreso, dois lados e o ângulo compreendido",
    ),
    "SSS": (
        {"triangle criterion": "SSS"},
        "SSS, side-side-side, side side side, LLL, three sides, all three sides, drei Seiten, trois côtés"
        ", tres lados, tre lati, três lados",
    ),
    "ASA": (
        {"triangle criterion": "ASA"},
        "ASA, angle-side-angle, angle side angle, WSW, ALA, two angles and the side between them"
        ", two angles and the included side, zwei Winkel und die eingeschlossene Seite",
    ),
    "AAS": (
        {"triangle criterion": "AAS"},
        "AAS, angle-angle-side, angle angle side, two angles and a side that is not between them"
        ", two angles and a non-included side",
    ),
    "SSA": ({"triangle criterion": "SSA"}, "SSA, side-side-angle, side side angle, SsW"),
    "similar": (
        {"similarity": "similar congruent"},
        "similar, ähnlich, semblables, semejantes, simili, 相似",
    ),
}
"""How lines and circles lie, and what figures are called."""
