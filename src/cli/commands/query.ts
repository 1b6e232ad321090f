import { InvalidInputError } from '../../config/validation-errors.ts'
import type { ProfileQueryResult } from '../../core/reports/profile-report.ts'
import { readOwner, refuseWords } from '../args/values.ts'
import { type Command, exitCodes } from '../command.ts'
import type { ResultSink } from '../output/io.ts'
import { formatCount, printable } from '../output/terminal-text.ts'

export const command: Command = {
  name: 'query',
  group: 'Watch',
  summary: 'query the profiles with an XPath expression',
  usage: 'XPATH',
  options: [{ name: 'owner', argument: 'EMAIL', about: 'only what this user owns' }],
  examples: [
    { line: `erace query "//urd[@id='12']"`, about: 'one unified resource description' },
    { line: `erace query "//keyword[@key='java']/ancestor::profile/@name"`, about: 'profiles with the keyword Java' },
    {
      line: 'erace query "count(//profile)"',
      about: 'number of profiles; the document has base/profiles and base/urds',
    },
  ],
  async prepare({ positionals, options, target, engine, io, json, quiet }, errors) {
    const [xpath, ...rest] = positionals
    const owner = readOwner(options, errors)
    if (xpath === undefined) errors.push({ place: 'XPATH', message: 'the XPath expression is missing' })
    refuseWords(rest, 'query takes one expression; put it in quotes', errors)
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
  for (const text of texts) stdout.write(`${stdout.isTTY === true ? sanitise(text) : text}\n`)
}

/** Names are user input: control characters in them must not reach the terminal. */
function sanitise(text: string): string {
  return text
    .split('\n')
    .map((line) => printable(line, 10_000))
    .join('\n')
}
