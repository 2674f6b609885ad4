"""Calls that work, one or more for every command, with small files of every kind they read."""

import bz2
import io
import shlex
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pnml_texts

ROWS = """age,zip,sex,seen,ill
34,47677,f,2020-01-03,Flu
40,47602,m,2020-01-09,HIV
26,47678,f,2020-02-11,Flu
25,47905,m,2020-02-13,Cancer
40,47909,f,2020-03-04,Flu
48,47906,f,2020-03-05,HIV
45,47605,m,2020-04-01,Cancer
40,47673,m,2020-04-02,Flu
"""
RELEASED = """age,sex,ill
[25-34],*,Flu
[25-34],*,HIV
[25-34],*,Cancer
[40-48],f,Flu
[40-48],f,HIV
[40-48],f,Cancer
"""
TEXTS: dict[str, str] = {
    "rows.csv": ROWS,
    "released.csv": RELEASED,
    "exits.csv": "road,at,toll\n"
    + "".join(f"G56{i % 3},2023-01-02 {8 + i:02d}:15,{i}.5\n" for i in range(6)),
    "sex.csv": "f;any\nm;any\n",
    "categories.csv": "value,category\nHIV,viral\nFlu,viral\nCancer,other\n",
    "roles.toml": '[reading]\ndecimal = "."\n[columns.age]\nrole = "quasi-identifier"\n'
    'type = "number"\n[columns.ill]\nrole = "sensitive"\n[columns.zip]\nrole = "drop"\n'
    '[columns.seen]\nrole = "identifier"\n',
    "background.csv": "row,excluded\n0,Flu\n",
    "background.json": '{"victims": [{"row": 0, "excluded": ["HIV"]}], "columns": ["age"]}',
    "edges.txt": "0 1\n1 2\n4 5\n",
    "known.txt": "0\n3\n",
    "chain.json": '{"kind": "chain", "initial": ["1/2", 0.5], "transition": [["3/4", "1/4"], '
    '["1/4", "3/4"]], "values": [0, 1], "n": 9}',
    "field.json": '{"kind": "conditional", "known": {"2": 1}, "law": {"kind": "field", "n": 3, '
    '"edges": [[0, 1], [1, 2]], "tables": [{"records": [0, 2], "rows": [{"given": [0], "law": '
    '{"0": "2/3", "1": "1/3"}}, {"given": [1], "law": {"0": "1/3", "1": "2/3"}}]}, {"records": '
    '[1], "rows": [{"given": [0, 0], "law": {"0": "4/5", "1": "1/5"}}, {"given": [0, 1], "law": '
    '{"0": "1/2", "1": "1/2"}}, {"given": [1, 0], "law": {"0": "1/2", "1": "1/2"}}, {"given": '
    '[1, 1], "law": {"0": "1/5", "1": "4/5"}}]}]}}',
    "friends.txt": "a b\nb c\nc d\nd a\na c\ne f\nf g\ng e\ne a\nb g\n",
    "people.csv": "name,age,town\n"
    + "".join(f"{name},{30 + i},{'xy'[i % 2]}\n" for i, name in enumerate("abcdefg")),
    "nodes.csv": "node,x,y,users\n"
    + "".join(f"{i},{i % 3},{i // 3},{1 + i % 4}\n" for i in range(9)),
    "streets.csv": "start,end\n0,1\n1,2\n3,4\n4,5\n6,7\n7,8\n0,3\n3,6\n1,4\n4,7\n2,5\n5,8\n",
    "points.csv": "lat,lon,user\n"
    + "".join(f"{40 + i * 7 % 11 / 1000},{-80 + i * 5 % 13 / 1000},u{i % 9}\n" for i in range(40)),
    "points.geojson": '{"type": "FeatureCollection", "features": ['
    + ",".join(
        f'{{"type": "Feature", "properties": {{"user": {i}}}, "geometry":'
        f' {{"type": "Point", "coordinates": [{i % 4 / 100}, {i % 3 / 100}]}}}}'
        for i in range(12)
    )
    + "]}",
    "traces.csv": "latitude,longitude,timestamp,user\n"
    + "".join(f"{40 + i % 5 / 1000},{-80 + i % 3 / 1000},{60 * i},u{i % 3}\n" for i in range(24)),
    "map.osm": '<osm version="0.6">'
    + "".join(f'<node id="{i}" lat="{40 + i / 1000}" lon="-80.0"/>' for i in range(6))
    + '<way id="9"><nd ref="0"/><nd ref="1"/><nd ref="2"/><nd ref="3"/><nd ref="4"/><nd ref="5"/>'
    '<tag k="highway" v="residential"/></way></osm>',
    "out-old.csv": "what stood here before\n",
    "run.json": '{"history": [[1, 1, 5]], "mechanism": "rdp"}\n',
}
CALLS = r"""
bound 1 --n 60 --p 71/100 --k 33 --epsilon 0.9
bound 1 --n 20 --p 0.3 --k 4 --delta 0.1 --json
bound 2 --data rows.csv --column age --shift 1 --assume independence --json
bound 3 --data rows.csv --column age --neighbourhood 2 --shift 1 --epsilon 0.5 --json
bound 3 --data rows.csv --column age --dependency edges.txt --shift 1 --json
bound 4 --data rows.csv --column age --known @known.txt --shift 1 --json
bound 5 --mean 3 --second 10 --third 40 --fourth 200 --n 9000 --lambda1 0.001 --lambda2 0.1 --json
bound 2 --n 100 --sum-variance 50 --sum-absolute-third 100 --shift 1 --epsilon 0.1:0.5:3 --json
exact truncated-binomial --n 60 --p 0.71 --k 33 --epsilon 0:2:5 --json
exact binomial --n 50 --p 0.3 --delta 0.01 --direction up
exact poisson-binomial --p 0.1,0.5,0.25 --epsilon 0.2 --json
exact data --data rows.csv --column age --epsilon 0.5 --json
exact normal --sigma 3 --epsilon 0.5 --json
exact file --law chain.json --epsilon 0.5 --json
exact file --law field.json --epsilon 0:1:3
bound 3 --law chain.json --epsilon 0.5 --json
design n --epsilon 0.5 --delta 0.1 --data rows.csv --column age --shift 1 --json
design n --theorem 1 --epsilon 3 --delta 0.9 --p 0.3 --k 3 --json
account run.json --delta 1e-5 --epsilon 1 --claim 9,1e-6 --json
calculator -o out.html
audit Z6 --json
audit --paper density --json
audit --recheck certificate.json --json
anonymize theta-sensitive rows.csv --qi age,sex --identifier zip,seen --sensitive ill --k \
    2 --mu 3/5 -o out.csv --json
roles rows.csv -o out.toml --json
roles rows.csv --decimal , --encoding latin-1 --missing=NA
anonymize mondrian rows.csv --roles roles.toml --other sex --k 2 -o out.csv
check released.csv --roles roles.toml --other sex --k 2 --l 2
anonymize mondrian rows.csv --qi age,zip --other seen --sensitive ill --k 3 -o out-old.csv --json
anonymize mondrian rows.parquet --qi age,sex --other zip,seen --k 2 --taxonomy sex=sex.csv \
    -o out.parquet --json
anonymize kaca rows.csv --qi age,sex --identifier zip,seen --k 2 -o out.csv
anonymize kaca rows.csv --qi seen,zip,age --other sex --sensitive ill --k 2 --ladder \
zip=prefix:3,2 --ladder age=range:5,10;origin=1 --ladder \
seen=date:month,20y;format=%Y-%m-%d --least-level seen=month --most-level age=3 -o out.csv --json
anonymize kaca exits.csv --qi road,at --sensitive toll --k 2 --section road --time at \
--aggregate toll -o out.csv
hierarchy rows.csv --column seen --ladder date:month,20y -o out.csv --json
hierarchy rows.csv --column sex --ladder order:f<m -o out.csv
anonymize p-plus-sensitive rows.csv --qi age,sex --identifier zip,seen --sensitive ill --k \
    2 --p 2 --categories categories.csv -o out.csv
anonymize density --nodes nodes.csv --edges streets.csv --least-nodes 1 -o out.csv --json
anonymize density --osm map.osm --users 30 -o out.csv
anonymize density --osm map.osm.bz2 --users 30 --seed 4 -o out.csv --json
anonymize quadtree points.csv --user user --min-k 3 -o out.geojson --json
anonymize quadtree points.geojson --count locations --min-k 2 -o out.geojson --html out.html
anonymize sangreea friends.txt --k 2 --user-list people.csv --attributes age,town --seed 1 -o \
    out.json --key out-key.csv --json
anonymize k-degree friends.txt --k 2 --seed 1 -o out.csv --json
anonymize k-degree friends.graphml --k 2 --seed 1 -o out.graphml --json
anonymize baseline friends.txt --k 2 --seed 1 -o out.json --json
check released.csv --qi age,sex --sensitive ill --k 3 --l 2 --t 0.4 --entropy-l 2 --json
check released.csv --qi age,sex --sensitive ill --k 3 --p-plus 2 --p 2 --categories \
    categories.csv --json
check released.csv --qi age,sex --sensitive ill --k 3 --mu 1/2 --beta 1 --delta 1 --share 1/2
attack homogeneity released.csv --qi age,sex --sensitive ill --missing-as value --json
attack linkage mondrian rows.csv --qi age,zip --identifier seen --sensitive ill --k 2 \
    --set cuts=median --background background.csv --json
attack homogeneity released.csv --qi age,sex --sensitive ill --background background.json --json
attack skewness released.csv --qi age,sex --sensitive ill --gain ratio --least 2 --json
attack sensitive-variance released.csv --qi age,sex --sensitive ill --k 3 --mu 3/5
attack mle k-degree friends.txt --k 2 --level III --lambda2 0.3 --json
attack bas traces traces.csv --cell 100 --period 60 --lambda2 0.5 --observations 2 --json
net explore theta-sensitive --data table-4b --k 4 --json
net explore theta-sensitive --data rows.csv --sensitive ill --k 2 --budget states=300 --json
net explore p-plus-sensitive --data rows.csv --sensitive ill --k 4 --p 2 --categories \
    categories.csv --json
net explore net.pnml --ctl "AG !dead" --property deadlock-free --budget states=500 --json
net simulate theta-sensitive --data table-1a --k 4 --runs 5 --json
net simulate theta-sensitive --data rows.csv --sensitive ill --k 2 --runs 3 --samples 1 \
    --html page.html --json
net simulate net.pnml --runs 5 --steps 50
net export net.pnml --pnml out.pnml --svg out.svg --json
net export net.pnml --smt2 out.smt2 --steps 2 --json
verify --command "false {input} {output} {k}" --profile quick --max-examples 2 --check \
    "refuses clearly" --json
verify mondrian --profile quick --max-examples 2 --check k-anonymity --json
report rows.csv --qi age,sex --identifier zip,seen --sensitive ill --k 2 --output out-page --json
datasets
datasets table-4b
datasets --json
schema
schema check
"""


@cache
def calls() -> tuple[tuple[str, ...], ...]:
    """Return the words of every call."""
    lines = CALLS.replace("\\\n", " ").strip().splitlines()
    return tuple(tuple(shlex.split(line)) for line in lines)


@cache
def content(name: str) -> bytes:
    """Return the file of a name, as it should be."""
    if name in TEXTS:
        return TEXTS[name].encode()
    return _MADE[name]()


def _parquet() -> bytes:
    import pandas as pd

    held = io.BytesIO()
    pd.read_csv(io.StringIO(ROWS)).to_parquet(held)
    return held.getvalue()


def _graphml() -> bytes:
    import networkx as nx

    graph = nx.Graph(line.split() for line in TEXTS["friends.txt"].splitlines())
    return "\n".join(nx.generate_graphml(graph)).encode()


def _certificate() -> bytes:
    folder = Path(__file__).parents[2] / "results" / "certificates"
    return (folder / "lemma-2.json").read_bytes()


_MADE: dict[str, Callable[[], bytes]] = {
    "rows.parquet": _parquet,
    "friends.graphml": _graphml,
    "map.osm.bz2": lambda: bz2.compress(TEXTS["map.osm"].encode()),
    "certificate.json": _certificate,
    "net.pnml": lambda: pnml_texts.token_ring(3).encode(),
}
NAMES = (*TEXTS, *_MADE)
"""Every file there is."""
