import { InvalidInputError } from '../../config/validation-errors.ts'
import type { ProfileQueryResult } from '../../core/reports/profile-report.ts'
import { readOwner } from '../args/profile-arguments.ts'
import { type Command, exitCodes } from '../command.ts'
import type { ResultSink } from '../output/io.ts'
import { formatCount, printable } from '../output/terminal-text.ts'

export const command: Command = {
  name: 'query',
  group: 'Watch',
  summary: 'ask the profile base with an XPath expression',
  usage: 'XPATH',
  options: [{ name: 'owner', argument: 'EMAIL', about: 'only what belongs to this user' }],
  examples: [
    { line: `erace query "//urd[@id='12']"`, about: 'one unified resource description' },
    { line: `erace query "//keyword[@key='java']/ancestor::profile/@name"`, about: 'who cares about Java' },
    {
      line: 'erace query "count(//profile)"',
      about: 'how many there are; the document is base/profiles and base/urds',
    },
  ],
  async prepare({ positionals, options, target, engine, io, json, quiet }, errors) {
    const [xpath, ...rest] = positionals
    const owner = readOwner(options, errors)
    if (xpath === undefined) errors.push({ place: 'XPATH', message: 'the expression is missing' })
    for (const word of rest)
      errors.push({ place: word.slice(0, 60), message: 'query takes one expression: put it in quotes' })
    return async () => {
      const result = await engine.queryProfiles(target, xpath ?? '', owner)
      if (result.kind === 'fault')
        throw new InvalidInputError('usage-wrong', [{ place: 'XPATH', message: result.message }])
      if (json) io.stdout.write(`${JSON.stringify(result)}\n`)
      else print(result, io.stdout)
      const left = result.kind === 'nodes' ? result.total - result.nodes.length : 0
      if (left > 0 && !json && !quiet) io.stderr.write(`and ${formatCount(left)} more\n`)
      return exitCodes.done
    }
  },
}

function print(result: Exclude<ProfileQueryResult, { kind: 'fault' }>, stdout: ResultSink): void {
  const texts = result.kind === 'nodes' ? result.nodes : [String(result.value)]
  for (const text of texts) stdout.write(`${stdout.isTTY === true ? harmless(text) : text}\n`)
}

/** Names are what users typed: nothing in them may steer somebody's terminal. */
function harmless(text: string): string {
  return text
    .split('\n')
    .map((line) => printable(line, 10_000))
    .join('\n')
}
