"""Tables: CSV files as they are distributed, and the small published tables that kproof ships."""

from kproof.datasets.opening import check_encoding as check_encoding
from kproof.datasets.shipped import MADE_UP as MADE_UP
from kproof.datasets.shipped import SAMPLE as SAMPLE
from kproof.datasets.shipped import SHIPPED as SHIPPED
from kproof.datasets.tables import LOOK_MISSING as LOOK_MISSING
from kproof.datasets.tables import MISSING_CELLS as MISSING_CELLS
from kproof.datasets.tables import Header as Header
from kproof.datasets.tables import NumericColumn as NumericColumn
from kproof.datasets.tables import Rows as Rows
from kproof.datasets.tables import TextTable as TextTable
from kproof.datasets.tables import looks_missing as looks_missing
from kproof.datasets.tables import read_column as read_column
from kproof.datasets.tables import read_text_table as read_text_table
from kproof.datasets.tables import records as records
