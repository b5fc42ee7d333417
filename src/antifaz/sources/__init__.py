"""From bytes to Arrow and back: delimited text, JSON, Parquet, workbooks and data frames."""
