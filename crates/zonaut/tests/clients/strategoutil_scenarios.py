"""What users of strategoutil do, with the program at sys.argv[1] as verifyta."""

import re
import shutil
import sys

import strategoutil

VERIFYTA, MODEL = sys.argv[1:3]
LEARNING = {
    "learning-method": "4",
    "good-runs": 100,
    "total-runs": 200,
    "runs-pr-state": 100,
    "eval-runs": 100,
    "max-iterations": 30,
    "discretization": 0.01,
    "silence-progress": None,
}


def queries(text):
    with open("my queries.q", "w", encoding="utf-8") as file:
        file.write(text)
    return "my queries.q"


def refused(work):
    """The message of the error that `work` raises."""
    try:
        work()
    except RuntimeError as error:
        return str(error)
    raise AssertionError("this should have been refused")


shutil.copyfile(MODEL, "my model.xml")
assert strategoutil.check_tool_existence(VERIFYTA)

output, errors = strategoutil.run_stratego(
    "my model.xml", queries("E<> P1.pass\n"), LEARNING, VERIFYTA
)
assert strategoutil.successful_result(output) and errors == "", output
assert "Verifying formula 1 at my queries.q:1" in output, output

output, _ = strategoutil.run_stratego("my model.xml", verifyta_command=VERIFYTA)
assert strategoutil.successful_result(output), output

output, _ = strategoutil.run_stratego(
    "my model.xml", queries("A[] not P1.pass\n"), {"search-order": 1, "summary": None}, VERIFYTA
)
assert not strategoutil.successful_result(output), output
assert " -- States explored :" in output, output

# The tag in the template model is replaced before the model is read. Only one way is left open.
with open("my model.xml", encoding="utf-8") as file:
    text = file.read().replace("t &lt; 3", "t &lt; 0").replace("t &gt;= 10", "t &gt;= //TAG_least")
with open("template.xml", "w", encoding="utf-8") as file:
    file.write(text)
for least, is_reached in [(10, True), (11, False)]:
    controller = strategoutil.StrategoController("template.xml", {"least": least})
    controller.init_simfile()
    controller.insert_state()
    output = controller.run(queries("E<> P1.pass\n"), LEARNING, VERIFYTA)
    controller.remove_simfile()
    assert strategoutil.successful_result(output) == is_reached, output

# The trajectories of a simulation are read by their variables.
SAMPLING = {"alpha": 0.05, "epsilon": 0.1, "seed": 3, "silence-progress": None}
output, errors = strategoutil.run_stratego(
    "my model.xml", queries("simulate [<=20; 2] { P1.t, P1.start }\n"), SAMPLING, VERIFYTA
)
assert strategoutil.successful_result(output) and errors == "", (output, errors)
assert abs(strategoutil.extract_state(output, "P1.t", 4) - 16.0) < 1e-4, output
tuples = strategoutil.get_float_tuples(output[output.index("P1.start:"):])
assert tuples[0] == (0.0, 1.0) and tuples[-1] == (20.0, 0.0), tuples
again, _ = strategoutil.run_stratego(
    "my model.xml", queries("simulate [<=20; 2] { P1.t, P1.start }\n"), SAMPLING, VERIFYTA
)
assert again == output, again

# Estimates, hypotheses, comparisons and means.
for query, is_satisfied, shown in [
    ("Pr[<=20] (<> P1.pass)", True, r"\(\d+/\d+ runs\) Pr\(<> \.\.\.\) in \[0\.\d+,1\] \(95% CI\)"),
    ("Pr[<=20; 50] ([] P1.start)", True, r"\(0/50 runs\) Pr\(\[\] \.\.\.\) in \[0,0\.\d+\]"),
    ("Pr[<=20] (<> P1.pass) >= 0.5", True, r"\(\d+ runs\) H0: Pr\(<> \.\.\.\) >= 0\.5\nwith confidence 0\.95\."),
    ("Pr[<=20] (<> P1.pass) <= 0.5", False, r"\(\d+ runs\) H0: Pr\(<> \.\.\.\) <= 0\.5"),
    ("Pr[<=20] (<> P1.pass) >= Pr[<=2] (<> P1.pass)", True, r"\(\d+ runs\) Pr\(\.\.\)/Pr\(\.\.\) >= 1"),
    ("E[<=5; 50] (max: P1.start)", True, r"\(50 runs\) E\(max\) = "),
]:
    output, errors = strategoutil.run_stratego("my model.xml", queries(query + "\n"), SAMPLING, VERIFYTA)
    assert strategoutil.successful_result(output) == is_satisfied and errors == "", (output, errors)
    assert re.search(shown, output), (query, output)

# A parameter outside its range is an error before anything is verified.
wrong = {"alpha": 1.5}
message = refused(
    lambda: strategoutil.run_stratego("my model.xml", queries("Pr[<=2] (<> P1.pass)\n"), wrong, VERIFYTA)
)
assert "option --alpha 1.5: alpha must be between 0 and 1" in message, message

# What learning needs is refused with one clear line.
for query in ["strategy opt = minE (c) [<=10]: <> (t==10)\n"]:
    message = refused(lambda: strategoutil.run_stratego("my model.xml", queries(query), LEARNING, VERIFYTA))
    lines = [line for line in message.splitlines() if "[error]" in line]
    assert len(lines) == 1 and lines[0].startswith("my queries.q:1: [error]"), message
message = refused(lambda: strategoutil.run_stratego("my model.xml", "", {"no-such-key": 1}, VERIFYTA))
assert "unknown option --no-such-key" in message, message
print("all scenarios passed")
