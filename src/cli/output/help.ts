import { version } from '../../config/version.ts'
import { type Command, commonOptions, type Option, spelling } from '../command.ts'

export function generalHelp(commands: readonly Command[]): string {
  const groups = Map.groupBy(commands, ({ group }) => group)
  const width = Math.max(...commands.map(({ name }) => name.length))
  const lists = [...groups].map(([group, members]) =>
    [`${group}:`, ...members.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`)].join('\n'),
  )
  return `${[
    `erace ${version}: web watcher, crawler and archiver`,
    'Usage: erace COMMAND [OPTIONS]',
    ...lists,
    optionList('All commands:', commonOptions),
    'Run erace COMMAND --help for details, erace --version for the version.',
    'Exit codes: 0 success, 1 failure, 2 invalid usage or configuration, 130 interrupted (state saved).',
  ].join('\n\n')}\n`
}

/** `details` are those of the command. */
export function commandHelp(command: Command, details?: string): string {
  const parts = [
    `erace ${command.name}: ${command.summary}`,
    `Usage: erace ${[command.name, command.usage, '[OPTIONS]'].filter((word) => word !== '').join(' ')}`,
  ]
  if (command.options.length > 0) parts.push(optionList('Options:', command.options))
  parts.push(optionList('All commands:', commonOptions))
  if (details !== undefined) parts.push(details)
  if (command.examples.length > 0) {
    parts.push(['Examples:', ...command.examples.map(({ line, about }) => `  # ${about}\n  ${line}`)].join('\n'))
  }
  return `${parts.join('\n\n')}\n`
}

function optionList(title: string, options: readonly Option[]): string {
  const heads = options.map((option) =>
    [
      option.short === undefined ? '' : `-${option.short}, `,
      spelling(option),
      option.argument === undefined ? '' : ` ${option.argument}`,
    ].join(''),
  )
  const width = Math.max(...heads.map((head) => head.length))
  return [
    title,
    ...options.map(({ about, repeatable }, i) => {
      return `  ${heads[i]!.padEnd(width)}  ${about}${repeatable ? ' (repeatable)' : ''}`
    }),
  ].join('\n')
}
