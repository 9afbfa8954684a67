@rem On Windows, `exec` in the scripts of package.json runs the command as it is.
@%*
