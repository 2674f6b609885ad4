"""Commands made from the registries: a front reads and writes, an entry gives options and help.

A front is an ordinary function whose first two arguments are an entry and what is asked of it; the
rest are its own options, with their help in its docstring. The command of an entry has these and
one option for each parameter of the entry.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from inspect import Parameter as Argument
from inspect import getdoc, signature
from typing import Annotated, Any

from cyclopts import App, Group, Parameter

from kproof.models.base import parameters as declared
from kproof.models.registry import Attack, Method, Registry


def argument(parameter: declared.Parameter[Any], group: Group) -> Argument:
    """Return the option of a parameter as an argument of a command; None if it is not given."""
    kind: Any = str
    if isinstance(parameter, declared.Switch):
        kind = bool
    elif isinstance(parameter, declared.Names):
        kind = tuple[str, ...]
    about = Parameter(
        name=parameter.options,
        help=_help(parameter),
        group=group,
        negative=None if kind is bool else (),
    )
    return Argument(
        parameter.key, Argument.KEYWORD_ONLY, default=None, annotation=_option_of(kind, about)
    )


def command(
    front: Callable[..., Any],
    options: Iterable[tuple[Group, Mapping[str, declared.Parameter[Any]]]],
    entry: Method | Attack | None = None,
    *,
    without: Collection[str] = (),
) -> Callable[..., Any]:
    """Return a command: the options of a front, and those of parameters by group.

    A front is called as ``front(entry, typed, ...)``, without an entry as ``front(typed, ...)``;
    ``typed`` has what was typed by name of the parameter. ``options`` are parameters by name, with
    the heading they stand under. The summary of the ``entry`` opens the help; ``without`` names
    options of the front that it has no use for.
    """
    own = signature(front, eval_str=True)
    first = () if entry is None else (entry,)
    added = [
        (group, parameter)
        for group, parameters in options
        for parameter in parameters.values()
        if not isinstance(parameter, declared.Value)
    ]
    of = {parameter.key: parameter.name for _, parameter in added}

    def run(*arguments: Any, **options: Any) -> Any:
        value_of = {name: options.pop(name, None) for name in of}
        typed = {
            of[name]: ",".join(value) if isinstance(value, tuple) else value
            for name, value in value_of.items()
            if value not in (None, ())
        }
        return front(*first, typed, *arguments, **options)

    every = [
        *(
            parameter
            for parameter in list(own.parameters.values())[1 + len(first) :]
            if parameter.name not in without
        ),
        *(argument(parameter, group) for group, parameter in added),
    ]
    about = getdoc(front) or ""
    if entry is not None:
        about = f"{_sentence(entry.summary)}\n{about.partition(chr(10))[2]}"
    run.__doc__ = about
    # What cyclopts reads in place of `*arguments, **options`.
    vars(run)["__signature__"] = own.replace(parameters=every)
    # What errors call an option that is typed otherwise.
    vars(run)["declared"] = of
    return run


def fallback(app: App, registry: Registry[Any]) -> None:
    """Have an app refuse a name that is not registered, with those that are."""

    @app.default
    def unknown(
        name: Annotated[str, Parameter(show=False)],
        /,
        *_words: Annotated[str, Parameter(allow_leading_hyphen=True, show=False)],
    ) -> None:
        """Say what there is."""
        registry.entry(name)

    unknown.__doc__ = None


def _option_of(kind: Any, about: Parameter) -> Any:
    return Annotated[kind | None, about]


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:].removesuffix('.')}."


def _help(parameter: declared.Parameter[Any]) -> str:
    if parameter.required:
        return f"{parameter.line} [required]"
    if parameter.default is None or isinstance(parameter, declared.Switch):
        return parameter.line
    return f"{parameter.line} [default: {parameter.default}]"
