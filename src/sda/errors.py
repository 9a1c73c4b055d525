"""The one exception that is meant for the user's eyes."""


class UserError(Exception):
    """Something the user can mend; the message is one sentence that names the file, line or key.

    The command line prints the message without a traceback and exits with code 2.
    """
