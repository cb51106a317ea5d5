/* completion.c - what a shell needs to complete command lines
 *
 * Words before the first one that is not an option are commands; then come
 * files and options; a value is one of the choices of its option, or a file.
 * SPDX-License-Identifier: MIT */
#include "cli/help/completion.h"

#include "solvers/driver/train.h"
#include "solvers/solver_table.h"
#include "synthetic/synthetic.h"

#include <stdint.h>
#include <string.h>

static bool takes_value(const struct th_option *option)
{
  return option->kind != TH_OPT_FLAG;
}

static bool belongs(const struct th_option *option,
                    const struct th_command *command)
{
  return (option->commands & command->bit) != 0;
}

/* In single quotes of every shell: a quote in a text is left out. */
static void put_quoted(FILE *out, const char *text)
{
  for (; *text != '\0'; text++)
    if (*text != '\'')
      fputc(*text, out);
}

/* The first sentence of a help text. */
static void put_sentence(FILE *out, const char *text, const char *left_out)
{
  const char *end = strstr(text, ". ");
  size_t length = end != NULL ? (size_t)(end - text) : strlen(text);
  for (size_t k = 0; k < length; k++)
    if (strchr("'{}", text[k]) == NULL && strchr(left_out, text[k]) == NULL)
      fputc(text[k], out);
}

static void put_choices(FILE *out, const struct th_option *option,
                        const char *joint)
{
  for (int64_t k = 0; option->choices != NULL && option->choices(k) != NULL;
       k++) {
    fputs(k > 0 ? joint : "", out);
    put_quoted(out, option->choices(k));
  }
}

static const char *const names_of_shells[] = {"bash", "zsh", "fish", NULL};

/* Words that a command takes in place of a file; NULL: it takes files. */
static const char *first_word(const struct th_command *command, int64_t k)
{
  if (command->bit == TH_GENERATE)
    return th_synthetic_family_table()[k].name;
  if (command->bit == TH_SOLVERS)
    return th_solver_table()[k].name;
  return command->bit == TH_COMPLETION ? names_of_shells[k] : NULL;
}

/* --- bash ----------------------------------------------------------------- */

static void put_bash_options(FILE *out, const struct th_command *command)
{
  for (int k = 0; k < th_option_table_count(); k++) {
    const struct th_option *option = th_option_table_row(k);
    if (!belongs(option, command))
      continue;
    fprintf(out, " --%s", option->name);
    if (!takes_value(option) && option->section != NULL)
      fprintf(out, " --no-%s", option->name);
  }
}

static void put_bash_values(FILE *out, const struct th_command *command)
{
  for (int k = 0; k < th_option_table_count(); k++) {
    const struct th_option *option = th_option_table_row(k);
    if (!belongs(option, command) || option->choices == NULL)
      continue;
    fprintf(out, "    %s:--%s) words='", command->name, option->name);
    put_choices(out, option, " ");
    fprintf(out, "' ;;\n");
  }
}

static void put_bash_command(FILE *out, const struct th_command *command)
{
  fprintf(out, "  %s)\n    options='", command->name);
  put_bash_options(out, command);
  fputs("'\n    words='", out);
  for (int64_t k = 0; first_word(command, k) != NULL; k++)
    fprintf(out, "%s%s", k > 0 ? " " : "", first_word(command, k));
  fputs("' ;;\n", out);
}

static void print_bash(FILE *out, const struct th_command *commands)
{
  fputs("# bash completion of thresher: thresher completion bash\n"
        "_thresher()\n{\n"
        "  local current=${COMP_WORDS[COMP_CWORD]}\n"
        "  local before=${COMP_WORDS[COMP_CWORD - 1]}\n"
        "  local options='' words='' commands='help version",
        out);
  for (const struct th_command *c = commands; c->name != NULL; c++)
    fprintf(out, " %s", c->name);
  fputs("'\n  COMPREPLY=()\n"
        "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
        "    mapfile -t COMPREPLY < <(compgen -W \"$commands --help --version "
        "--man\" -- \"$current\")\n    return\n  fi\n"
        "  case ${COMP_WORDS[1]} in\n",
        out);
  for (const struct th_command *c = commands; c->name != NULL; c++)
    put_bash_command(out, c);
  fputs("  help) words=\"$commands words\" ;;\n  esac\n"
        "  if [[ $current == -* ]]; then\n"
        "    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- "
        "\"$current\")\n    return\n  fi\n"
        "  if [[ $before == -* ]]; then\n    words=''\n"
        "    case ${COMP_WORDS[1]}:$before in\n",
        out);
  for (const struct th_command *c = commands; c->name != NULL; c++)
    put_bash_values(out, c);
  fputs("    esac\n  fi\n"
        "  if [ -n \"$words\" ]; then\n"
        "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
        "  else\n"
        "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
        "  fi\n}\ncomplete -o filenames -F _thresher thresher\n",
        out);
}

/* --- zsh ------------------------------------------------------------------ */

static void put_zsh_option(FILE *out, const struct th_option *option)
{
  fprintf(out, "      '--%s%s[", option->name, takes_value(option) ? "=" : "");
  put_sentence(out, option->help, "[]:");
  fputc(']', out);
  if (takes_value(option) && option->choices != NULL) {
    fprintf(out, ":%s:(", option->name);
    put_choices(out, option, " ");
    fputc(')', out);
  } else if (takes_value(option)) {
    fprintf(out, ":%s:_files", option->name);
  }
  fputs("' \\\n", out);
}

static void print_zsh(FILE *out, const struct th_command *commands)
{
  fputs("#compdef thresher\n# zsh completion of thresher: thresher completion "
        "zsh\nlocal -a commands\ncommands=(\n",
        out);
  for (const struct th_command *c = commands; c->name != NULL; c++) {
    fprintf(out, "  '%s:", c->name);
    put_sentence(out, c->summary, ":");
    fputs("'\n", out);
  }
  fputs(")\nif (( CURRENT == 2 )); then\n  _describe command commands\n"
        "  return\nfi\ncase $words[2] in\n",
        out);
  for (const struct th_command *c = commands; c->name != NULL; c++) {
    fprintf(out,
            "  %s)\n    shift words\n    (( CURRENT-- ))\n"
            "    _arguments \\\n",
            c->name);
    for (int k = 0; k < th_option_table_count(); k++)
      if (belongs(th_option_table_row(k), c))
        put_zsh_option(out, th_option_table_row(k));
    fputs(first_word(c, 0) != NULL ? "      '*:word:(" : "      '*:file:_files",
          out);
    for (int64_t k = 0; first_word(c, k) != NULL; k++)
      fprintf(out, "%s%s", k > 0 ? " " : "", first_word(c, k));
    fputs(first_word(c, 0) != NULL ? ")' ;;\n" : "' ;;\n", out);
  }
  fputs("esac\n", out);
}

/* --- fish ----------------------------------------------------------------- */

static void put_fish_option(FILE *out, const struct th_option *option,
                            const struct th_command *command)
{
  fprintf(out, "complete -c thresher -n '__fish_seen_subcommand_from %s' -l %s",
          command->name, option->name);
  if (option->letter != 0)
    fprintf(out, " -s %c", option->letter);
  if (takes_value(option))
    fputs(" -r", out);
  if (takes_value(option) && option->choices != NULL) {
    fputs(" -f -a '", out);
    put_choices(out, option, " ");
    fputc('\'', out);
  }
  fputs(" -d '", out);
  put_sentence(out, option->help, "\\");
  fputs("'\n", out);
}

static void print_fish(FILE *out, const struct th_command *commands)
{
  fputs("# fish completion of thresher: thresher completion fish\n", out);
  for (const struct th_command *c = commands; c->name != NULL; c++) {
    fprintf(out, "complete -c thresher -n __fish_use_subcommand -f -a %s -d '",
            c->name);
    put_sentence(out, c->summary, "\\");
    fputs("'\n", out);
    for (int64_t k = 0; first_word(c, k) != NULL; k++)
      fprintf(out,
              "complete -c thresher -n '__fish_seen_subcommand_from %s' -f -a "
              "%s\n",
              c->name, first_word(c, k));
    for (int k = 0; k < th_option_table_count(); k++)
      if (belongs(th_option_table_row(k), c))
        put_fish_option(out, th_option_table_row(k), c);
  }
}

/* --- The shells ----------------------------------------------------------- */

static const struct shell {
  const char *name;
  void (*print)(FILE *out, const struct th_command *commands);
} shells[] = {{"bash", print_bash},
              {"zsh", print_zsh},
              {"fish", print_fish},
              {NULL, NULL}};

th_status th_completion_print(FILE *out, const char *shell,
                              const struct th_command *commands,
                              struct th_error *err)
{
  for (const struct shell *s = shells; s->name != NULL; s++) {
    if (strcmp(s->name, shell) != 0)
      continue;
    s->print(out, commands);
    return TH_OK;
  }
  return th_fail(err, TH_EUSAGE,
                 "completion: %s is not a shell that is known; there are bash, "
                 "zsh and fish",
                 shell);
}
