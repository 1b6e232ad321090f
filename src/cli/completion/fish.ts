import type { CompletedCommand, CompletedOption, Expected } from './words.ts'

/** A script for fish, to be sourced or saved as `~/.config/fish/completions/erace.fish`. */
export function fishScript(commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name }) => name)
  return `${[
    '# Completion for fish: erace completion fish | source',
    'complete -c erace -f',
    ...commands.map(({ name, about }) => `complete -c erace -n __fish_use_subcommand -a ${name} -d ${quote(about)}`),
    "complete -c erace -n __fish_use_subcommand -a help -d 'show the help of a command'",
    `complete -c erace -n '__fish_seen_subcommand_from help' -a '${names.join(' ')}'`,
    ...commands.flatMap(commandLines),
  ].join('\n')}\n`
}

function commandLines({ name, options, words }: CompletedCommand): string[] {
  const start = `complete -c erace -n '__fish_seen_subcommand_from ${name}'`
  const places = words.flatMap((word, index) => {
    if (word.kind === 'text') return []
    if (word.kind !== 'choice') return [`${start} -F`]
    // Offered until one of them has been typed.
    const open = `__fish_seen_subcommand_from ${name}; and not __fish_seen_subcommand_from ${word.choices.join(' ')}`
    return index > 0 ? [`${start} ${values(word)}`] : [`complete -c erace -n '${open}' ${values(word)}`]
  })
  return [...options.map((option) => `${start} ${optionWords(option)}`), ...places]
}

function optionWords({ word, short, about, value }: CompletedOption): string {
  const name = word.startsWith('--') ? `-l ${word.slice(2)}` : `-o ${word.slice(1)}`
  const parts = [name, short === null ? '' : `-s ${short.slice(1)}`, value === null ? '' : `-r ${values(value)}`]
  return [...parts.filter((part) => part !== ''), `-d ${quote(about)}`].join(' ')
}

function values(value: Expected): string {
  switch (value.kind) {
    case 'choice':
      return `-f -a '${value.choices.join(' ')}'`
    case 'file':
      return '-F'
    case 'folder':
      return "-f -a '(__fish_complete_directories)'"
    case 'text':
      return '-f'
  }
}

const quote = (text: string): string => `'${text.replaceAll(/['\\]/g, '\\$&')}'`
