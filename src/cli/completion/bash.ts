import type { CompletedCommand, Expected } from './words.ts'

/** A script for bash, to be sourced. The words in patterns and lists are our own and need no quoting. */
export function bashScript(commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name }) => name)
  const options = commands.flatMap((command) => command.options)
  const valued = new Set(options.filter(({ value }) => value !== null).map(({ word }) => word))
  return `# Completion for bash: source <(erace completion bash)
_erace() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} command= place=0 i
  # --option=value is three words for bash.
  [[ $cur == = ]] && cur=
  [[ $prev == = ]] && prev=\${COMP_WORDS[COMP_CWORD-2]}
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ -z $command ]]; then
      case \${COMP_WORDS[i]} in ${names.join('|')}|help) command=\${COMP_WORDS[i]} ;; esac
    elif [[ \${COMP_WORDS[i]} != -* ]]; then
      case \${COMP_WORDS[i-1]} in ${[...valued].join('|')}) ;; *) ((place++)) ;; esac
    fi
  done
  COMPREPLY=()
  if [[ -z $command ]]; then
    ${choose([...names, 'help', '--help', '--version'])}
    return
  fi
  case $command in
${commands.map(commandCase).join('\n')}
    help) ${choose(names)};;
  esac
}
complete -F _erace erace
`
}

function commandCase({ name, options, words }: CompletedCommand): string {
  const byReply = Map.groupBy(
    options.filter(({ value }) => value !== null),
    ({ value }) => reply(value!),
  )
  const valued = [...byReply].map(
    ([text, members]) => `        ${members.map(({ word }) => word).join('|')}) ${text}return ;;`,
  )
  const listed = options.flatMap(({ word, short }) => (short === null ? [word] : [word, short]))
  const places = words.map((word, index) => {
    const place = index === words.length - 1 ? '*' : String(index)
    return `        ${place}) ${reply(word)}return ;;`
  })
  return [
    `    ${name})`,
    ...['      case $prev in', ...valued, '      esac'],
    `      if [[ $cur == -* ]]; then ${choose(listed)}return; fi`,
    ...(places.length === 0 ? [] : ['      case $place in', ...places, '      esac']),
    '      ;;',
  ].join('\n')
}

const choose = (words: readonly string[]): string => `COMPREPLY=($(compgen -W '${words.join(' ')}' -- "$cur")); `

/** The code that sets the reply; empty if there is none. */
function reply(value: Expected): string {
  switch (value.kind) {
    case 'choice':
      return choose(value.choices)
    case 'file':
      return 'compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); '
    case 'folder':
      return 'compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$cur"); '
    case 'text':
      return ''
  }
}
