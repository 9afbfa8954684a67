@rem On Windows, `exec` in the scripts of package.json runs the command as it is. Other shells replace `$(node tools/build/heap-limit.mjs)` at its
@rem beginning by what that script prints; here, these lines do.
@echo off
if not "%~2"=="$(node" goto run
setlocal
set OPTION=
for /f %%o in ('node tools\build\heap-limit.mjs') do set OPTION=%%o
for /f "tokens=3*" %%c in ("%*") do node %OPTION% %%d
exit /b

:run
%*
