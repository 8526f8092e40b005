"""What users of strategoutil do, with the program at sys.argv[1] as verifyta."""

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

# What learning needs is refused with one clear line.
for query in [
    "strategy opt = minE (c) [<=10]: <> (t==10)\n",
    "simulate 1 [<=10] { P1.t }\n",
    "Pr[<=10] (<> P1.pass)\n",
]:
    message = refused(lambda: strategoutil.run_stratego("my model.xml", queries(query), LEARNING, VERIFYTA))
    lines = [line for line in message.splitlines() if "[error]" in line]
    assert len(lines) == 1 and lines[0].startswith("my queries.q:1: [error]"), message
message = refused(lambda: strategoutil.run_stratego("my model.xml", "", {"no-such-key": 1}, VERIFYTA))
assert "unknown option --no-such-key" in message, message
print("all scenarios passed")
