# Tests of the project as a whole: its layers, its functions, its installation
th_script_test(NAME project_layering SCRIPT layering.sh LABELS project)
th_script_test(NAME project_functions SCRIPT functions.sh LABELS project)
th_script_test(NAME project_scripts SCRIPT scripts.sh LABELS project)
th_script_test(NAME project_installed SCRIPT installed.sh LABELS project)
