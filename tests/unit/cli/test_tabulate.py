import json

from click.testing import CliRunner

from antifaz.cli.main import cli

ROWS = "region,sector,turnover\n" + "".join(
    f"{region},{sector},{amount}\n"
    for region, sector, amount in [("n", "a", 5), ("n", "a", 7), ("s", "a", 3), ("s", "b", 8), ("n", "b", 2)] * 4
)


def call(tmp_path, *options):
    (tmp_path / "rows.csv").write_text(ROWS)
    return CliRunner().invoke(cli, ["tabulate", str(tmp_path / "rows.csv"), *options, "-o", str(tmp_path / "out")])


def test_it_releases_a_table_with_subtotals_of_a_hierarchy_file(tmp_path):
    (tmp_path / "regions.csv").write_text("n;land;*\ns;land;*\n")
    found = call(tmp_path, "--by", "region,sector", "--hierarchy", f"region={tmp_path / 'regions.csv'}", "--sum",
                 "turnover", "--threshold", "3", "--p-percent", "5", "--json")  # fmt: skip
    assert found.exit_code == 0, found.output
    evidence = json.loads(found.stdout)
    assert [each["column"] for each in evidence["table"]["dimensions"]] == ["region", "sector"]
    assert [each["rule"] for each in evidence["rules"]] == ["threshold", "p-percent"]
    assert "land,*,100,shown" in (tmp_path / "out" / "release.csv").read_text()


def test_usage_errors_are_said(tmp_path):
    for options in (["--by", "region", "--hierarchy", "sector=x.csv"], ["--by", "region", "--hierarchy", "sector"],
                    ["--by", "region", "--dominance", "75"], ["--threshold", "3"]):  # fmt: skip
        assert call(tmp_path, *options).exit_code == 2
    assert not (tmp_path / "out").exists()
