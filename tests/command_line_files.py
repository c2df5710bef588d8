"""Files that the command line reads in tests, and the program called in this process."""

import csv
import gzip

import numpy as np

from fairrank._command_line import main


def loans(n=600, seed=0):
    """Columns of a small portfolio in which one group is scored too low."""
    rng = np.random.default_rng(seed)
    race = rng.choice(["white", "black", "asian"], n, p=[0.6, 0.3, 0.1])
    p = rng.beta(2, 5, n).round(6)
    deny = (rng.random(n) < np.clip(p * (1 + 0.5 * (race == "black")), 0, 1)).astype(int)
    return {
        "id": np.arange(n), "race": race, "year": rng.choice([2019, 2020], n), "p": p,
        "deny": deny, "amount": rng.integers(1, 50, n), "weight": rng.integers(1, 4, n),
    }


def write_csv(path, columns, *, delimiter=","):
    """A csv file of the columns, packed where its name says so."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "wt", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(columns)
        writer.writerows(zip(*(column.tolist() for column in columns.values())))
    return path


def call(capsys, *arguments):
    """Exit status, standard output and standard error of one command."""
    capsys.readouterr()
    status = main([str(argument) for argument in arguments])
    said = capsys.readouterr()
    return status, said.out, said.err
