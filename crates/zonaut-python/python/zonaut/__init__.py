"""Zonaut: a model checker and scheduler for networks of timed automata.

>>> import zonaut as zn
>>> m = zn.loads('''
... clock x;
... process Lamp() {
...     state off, on { x <= 5 };
...     init off;
...     trans off -> on { assign x = 0; }, on -> off { guard x == 5; };
... }
... system Lamp;''')
>>> r = m.check("A[] Lamp.on imply x <= 5", certify="always")
>>> r.holds, r.certified
(True, True)
>>> t = m.check("E<> Lamp.on && x == 3", trace="fastest").trace
>>> t.duration
Fraction(3, 1)
"""

from . import _command
from ._builder import ModelBuilder, TemplateBuilder
from ._command import CommandResult, command
from ._errors import (
    Diagnostic,
    InputError,
    InternalError,
    ModelError,
    OptionError,
    QueryError,
    UndecidedError,
    ZonautError,
)
from ._jobs import Progress
from ._model import Model, load, loads
from ._results import (
    Bound,
    CertificateCheck,
    Estimate,
    Exploration,
    Histogram,
    Improvement,
    Optimum,
    Result,
    Statistics,
    UntakenEdge,
    Values,
)
from ._simulator import Simulator, SymbolicState, Transition
from ._sweep import SweepTable, sweep
from ._trace import Bar, Edge, Schedule, State, Step, Trace
from ._zonaut import version as _version
from ._zone import Zone

_command.register()

__version__ = _version()

__all__ = [
    "Bar",
    "Bound",
    "CertificateCheck",
    "CommandResult",
    "Diagnostic",
    "Edge",
    "Estimate",
    "Exploration",
    "Histogram",
    "Improvement",
    "InputError",
    "InternalError",
    "Model",
    "ModelBuilder",
    "ModelError",
    "OptionError",
    "Optimum",
    "Progress",
    "QueryError",
    "Result",
    "Schedule",
    "Simulator",
    "State",
    "Statistics",
    "Step",
    "SweepTable",
    "SymbolicState",
    "TemplateBuilder",
    "Trace",
    "Transition",
    "UndecidedError",
    "UntakenEdge",
    "Values",
    "ZonautError",
    "Zone",
    "command",
    "load",
    "loads",
    "sweep",
]
