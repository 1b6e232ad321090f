import { version } from '../../config/version.ts'
import { type Command, commonOptions, exitCodes, type Option, spelling } from '../command.ts'

/** The manual page `erace(1)`, generated from the same table as the help. `date` is that of the package, such as 2026-11-17. */
export function manPage(commands: readonly Command[], date: string): string {
  const groups = [...Map.groupBy(commands, ({ group }) => group)]
  return `${[
    `.TH ERACE 1 "${date}" "erace ${version}" "User Commands"`,
    '.SH NAME',
    'erace \\- web watcher, crawler and archiver',
    '.SH SYNOPSIS',
    '.B erace',
    '.I COMMAND',
    '.RI [ OPTIONS ]',
    '.SH DESCRIPTION',
    'eRACE watches the web for you: it fetches each source once for everybody, keeps every version that matters, and is a fast, polite',
    'crawler and archiver.',
    ...groups.flatMap(([group, members]) => [`.SS ${group}`, ...members.flatMap(summary)]),
    '.SH OPTIONS OF ALL COMMANDS',
    ...commonOptions.flatMap(optionLines),
    '.SH COMMANDS',
    ...commands.flatMap(commandLines),
    '.SH EXIT STATUS',
    ...tagged(String(exitCodes.done), 'Success.'),
    ...tagged(String(exitCodes.failed), 'Failure.'),
    ...tagged(String(exitCodes.wrong), 'Invalid usage or configuration.'),
    ...tagged(String(exitCodes.interrupted), 'Interrupted; the state was saved.'),
    '.SH ENVIRONMENT',
    ...tagged('ERACE_DATA', 'The data folder, as \\-\\-data.'),
    ...tagged('ERACE_STORE', 'The shared store of a cluster, as \\-\\-store.'),
    ...tagged('ERACE_SECTION_NAME', 'Any setting of the configuration file: ERACE_CRAWL_DELAY is crawl.delay.'),
    '.SH FILES',
    ...tagged('erace.config.ts, erace.config.js, erace.config.json', 'The configuration, in the working directory.'),
    ...tagged('erace\\-data', 'The data folder, unless another one is named.'),
  ].join('\n')}\n`
}

function summary({ name, summary: about }: Command): string[] {
  return tagged(escaped(name), escaped(about))
}

function commandLines({ name, summary: about, usage, options, examples }: Command): string[] {
  return [
    `.SS erace ${escaped([name, usage].join(' ').trim())}`,
    `${escaped(about)}.`,
    ...options.flatMap(optionLines),
    ...(examples.length === 0 ? [] : ['.PP', 'Examples:']),
    ...examples.flatMap(({ line, about: why }) => [
      '.PP',
      `${escaped(why)}:`,
      '.PP',
      '.EX',
      `    ${escaped(line)}`,
      '.EE',
    ]),
  ]
}

function optionLines(option: Option): string[] {
  const short = option.short === undefined ? '' : `\\fB${escaped(`-${option.short}`)}\\fR, `
  const argument = option.argument === undefined ? '' : ` \\fI${escaped(option.argument)}\\fR`
  const about = `${option.about}${option.repeatable ? ' (repeatable)' : ''}`
  return ['.TP', `${short}\\fB${escaped(spelling(option))}\\fR${argument}`, escaped(about)]
}

function tagged(tag: string, text: string): string[] {
  return ['.TP', `.B ${tag}`, text]
}

/** Escapes text for roff: backslashes and dashes appear as typed, and no line starts a request. */
function escaped(text: string): string {
  const plain = text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll("'", '\\(aq').replaceAll('^', '\\(ha')
  return plain.replaceAll('~', '\\(ti').replaceAll('`', '\\(ga').replace(/^\./, '\\&.')
}
