"""The published tables of Khan et al., Electronics 2020, 9(5), 716, besides its microdata.

Labels are the paper's, with ``<=`` for its ``=<`` so that no cell opens like a formula. The column
Class numbers the equivalence classes, which the paper shows as blocks of rows; the rows of Table 8
are not those persons' of Table 1a that have the same number.
"""

from __future__ import annotations

TABLES: dict[str, tuple[str, str]] = {
    "table-1b": (
        "the 12 patients, 2-anonymous",
        """\
ID,Class,Age,Zip Code,Country,Disease
1,1,34-40,14208-14247,**,HIV
2,1,34-40,14208-14247,**,HIV
3,2,25-26,14205-14242,America,Cancer
4,2,25-26,14205-14242,America,Cancer
5,3,>= 40,14054-14063,America,Hepatitis
6,3,>= 40,14054-14063,America,Obesity
7,4,>= 40,13073-14066,Asia,Asthma
8,4,>= 40,13073-14066,Asia,Phthisis
9,5,35-40,14243-14247,**,Flu
10,5,35-40,14243-14247,**,Indigestion
11,6,36-37,14203-14204,America,Flu
12,6,36-37,14203-14204,America,Flu
""",
    ),
    "table-3": (
        "category of each disease",
        """\
Disease,Category
HIV,1
Cancer,1
Hepatitis,2
Phthisis,2
Asthma,3
Obesity,3
Indigestion,4
Flu,4
""",
    ),
    "table-4a": (
        "the 12 patients, 2+-sensitive 4-anonymous",
        """\
ID,Class,Age,Zip Code,Country,Disease
1,1,<= 40,14204-14247,America,HIV
2,1,<= 40,14204-14247,America,Cancer
3,1,<= 40,14204-14247,America,Flu
4,1,<= 40,14204-14247,America,Indigestion
5,2,>= 40,13073-14066,****,Hepatitis
6,2,>= 40,13073-14066,****,Phthisis
7,2,>= 40,13073-14066,****,Asthma
8,2,>= 40,13073-14066,****,Obesity
9,3,<= 40,14203-14247,****,HIV
10,3,<= 40,14203-14247,****,Cancer
11,3,<= 40,14203-14247,****,Flu
12,3,<= 40,14203-14247,****,Flu
""",
    ),
    "table-4b": (
        "the 12 patients, (3,1)-sensitive 4-anonymous",
        """\
ID,Class,Age,Zip Code,Country,Disease
1,1,<= 40,14205-14247,****,HIV
2,1,<= 40,14205-14247,****,HIV
3,1,<= 40,14205-14247,****,Cancer
4,1,<= 40,14205-14247,****,Flu
5,2,>= 40,13073-14066,****,Hepatitis
6,2,>= 40,13073-14066,****,Phthisis
7,2,>= 40,13073-14066,****,Asthma
8,2,>= 40,13073-14066,****,Obesity
9,3,<= 40,14203-14247,America,Cancer
10,3,<= 40,14203-14247,America,Flu
11,3,<= 40,14203-14247,America,Flu
12,3,<= 40,14203-14247,America,Indigestion
""",
    ),
    "table-5": (
        "variance of classes 2 and 3 of Table 4a, step by step",
        """\
Class,Disease,x,f,x squared,f x,f x squared
2,Hepatitis,1,1,1,1,1
2,Phthisis,2,1,4,2,4
2,Asthma,3,1,9,3,9
2,Obesity,4,1,16,4,16
3,Flu,1,2,1,2,2
3,Cancer,2,1,4,2,4
3,HIV,3,1,9,3,9
""",
    ),
    "table-8a": (
        "theta-sensitive 4-anonymous, with one noise row",
        """\
ID,Class,Age,Zip Code,Country,Disease
1,1,<= 40,14054-14247,America,HIV
2,1,<= 40,14054-14247,America,Cancer
3,1,<= 40,14054-14247,America,Hepatitis
4,1,<= 40,14054-14247,America,Obesity
5,2,>= 40,13073-14243,Asia,HIV
6,2,>= 40,13073-14243,Asia,Phthisis
7,2,>= 40,13073-14243,Asia,Asthma
8,2,>= 40,13073-14243,Asia,Flu
9,3,<= 40,14063-14247,America,Cancer
10,3,<= 40,14063-14247,America,Flu
11,3,<= 40,14063-14247,America,Flu
12,3,<= 40,14063-14247,America,Indigestion
13,3,<= 40,14063-14247,America,Obesity
""",
    ),
    "table-8b": (
        "theta-sensitive 4-anonymous, without noise",
        """\
ID,Class,Age,Zip Code,Country,Disease
1,1,<= 40,14054-14247,America,Hepatitis
2,1,<= 40,14054-14247,America,HIV
3,1,<= 40,14054-14247,America,Cancer
4,1,<= 40,14054-14247,America,Flu
5,2,>= 40,13073-14243,Asia,HIV
6,2,>= 40,13073-14243,Asia,Phthisis
7,2,>= 40,13073-14243,Asia,Asthma
8,2,>= 40,13073-14243,Asia,Flu
9,3,<= 40,14063-14247,America,Cancer
10,3,<= 40,14063-14247,America,Obesity
11,3,<= 40,14063-14247,America,Flu
12,3,<= 40,14063-14247,America,Indigestion
""",
    ),
    "table-11": (
        "discernibility by k: baseline, theta-sensitive and p+-sensitive, as printed",
        """\
k,Baseline,theta-sensitive,p+-sensitive
2,320300,320303,571227
4,640600,640605,778626
6,960900,960912,1214207
8,1281200,1281215,1467959
10,1601500,1601520,1876310
12,1921800,1921824,2096543
14,2242100,2242145,2632775
16,2562400,2562470,3017773
18,2882700,2882812,3315591
20,3203000,3203166,3628936
""",
    ),
}
"""Title and CSV text by name."""
