"""``kproof anonymize METHOD FOLDER/``: a folder of Parquet files, by regions, on a cluster."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cyclopts import Group

from kproof.cli.base.columns import SourceColumns
from kproof.cli.base.common import OptionGroup, option_group
from kproof.cli.base.printing import write_result
from kproof.errors import InvalidArgument
from kproof.models.registry import Method

_FOLDER = Group("A folder larger than memory", sort_key=5)


@option_group(_FOLDER)
class FolderOptions(OptionGroup):
    """How a folder of Parquet files is dealt out."""

    regions: str | None = None
    """Regions that the table is cut into. If not given: one for each process and 500,000 rows."""
    scheduler: str | None = None
    """Address of a scheduler of Dask or Spark whose processes do the work, such as
    tcp://10.0.0.1:8786 or spark://host:7077. They see the same files by the same names."""
    jobs: str | None = None
    """Processes of this machine. If not given: as many as processors."""
    memory: str | None = None
    """Memory of these processes together, such as 8GB."""


def publish(
    method: Method,
    typed: Mapping[str, Any],
    data: str,
    output: str,
    columns: SourceColumns,
    options: FolderOptions,
    *,
    json: bool,
) -> None:
    """Anonymize a folder and say what was done, and what was not looked at."""
    from kproof.models.partitioned import anonymize_folder
    from kproof.models.partitioned.pieces import files_of

    roles = columns.roles(files_of(data)[0])
    # Methods take it for a quasi-identifier, as which it is listed already.
    roles.pop("both", None)
    for name in ("person", "other"):
        if value := roles.pop(name, None):
            named = value if isinstance(value, str) else ", ".join(value)
            raise InvalidArgument(name, named, "rows in memory, not a folder")
    for name, value in columns.layout().items():
        raise InvalidArgument(name, value, "nothing for Parquet files")
    parameters = dict(typed)
    if parameters.pop("suppressed", None) == "mark":
        raise InvalidArgument("suppressed", "mark", "drop for a folder")
    keywords = {"most_members": columns.most_members, **options.keywords(), **parameters}
    release = anonymize_folder(method.name, data, output, **roles, **keywords)
    ignored = "not looked at: how likely somebody is to pick a person's row, and other methods"
    text = f"{release.summary()}\n{ignored}"
    files = f"{Path(output)}, {len(release.files)} files"
    write_result("anonymize-folder", release, json=json, text=text, written=[files])
