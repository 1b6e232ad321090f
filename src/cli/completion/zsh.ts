import type { CompletedCommand, CompletedOption, Expected } from './words.ts'

/** A script for zsh: sourced, or as the file `_erace` in a folder of `fpath`. */
export function zshScript(commands: readonly CompletedCommand[]): string {
  const described = commands.map(({ name, about }) => `    ${quote(`${name}:${about}`)}`)
  return `#compdef erace
# Completion for zsh: source <(erace completion zsh), or save as _erace in a folder of $fpath
_erace() {
  local -a commands=(
${described.join('\n')}
    'help:show the help of a command'
  )
  if (( CURRENT == 2 )); then
    _describe -t commands command commands
    return
  fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
${commands.map(commandCase).join('\n')}
    help) _describe -t commands command commands ;;
  esac
}
if [[ $funcstack[1] == _erace ]]; then _erace "$@"; else compdef _erace erace; fi
`
}

function commandCase({ name, options, words }: CompletedCommand): string {
  const places = words.map((word, index) => {
    const place = index === words.length - 1 ? '*' : String(index + 1)
    return quote(`${place}:${nameOf(word)}:${action(word)}`)
  })
  const specs = [...options.flatMap(optionSpecs), ...places]
  return `    ${name})\n      _arguments -S ${specs.join(' \\\n        ')} ;;`
}

function optionSpecs({ word, short, about, value }: CompletedOption): string[] {
  const text = `[${about.replaceAll(/[[\]\\:]/g, '\\$&')}]`
  const argument = value === null ? '' : `:${nameOf(value)}:${action(value)}`
  // Any option may be repeated: a later value replaces an earlier one, or is added.
  const names = short === null ? [word] : [word, short]
  return names.map((name) => quote(`*${name}${name.startsWith('--') && value !== null ? '=' : ''}${text}${argument}`))
}

const nameOf = (value: Expected): string =>
  value.kind === 'text' ? value.name.replaceAll(/[:\\]/g, '\\$&') : value.kind

function action(value: Expected): string {
  switch (value.kind) {
    case 'choice':
      return `(${value.choices.join(' ')})`
    case 'file':
      return '_files'
    case 'folder':
      return '_files -/'
    case 'text':
      return ' '
  }
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
