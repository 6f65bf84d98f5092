"""The one exception that a person sees as a sentence, never as a traceback."""


class UserError(Exception):
    """A mistake or a lack that a person can mend.

    The message names the file or the dotted key, the value found there, and what to do.
    """
