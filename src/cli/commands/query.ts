import { InvalidInputError } from '../../config/validation-errors.ts'
import { type ProfileQueryResult, queryTargets } from '../../core/reports/profile-report.ts'
import { choice, readOwner, refuseWords } from '../args/values.ts'
import { type Command, exitCodes } from '../command.ts'
import type { ResultSink } from '../output/io.ts'
import { formatCount, printable } from '../output/terminal-text.ts'

export const command: Command = {
  name: 'query',
  group: 'Watch',
  summary: 'query profiles, sources, annotations or metadata in XPath or XQL',
  usage: 'QUERY',
  options: [
    {
      name: 'over',
      argument: 'WHAT',
      about: `${queryTargets.join(', ')} (default: profiles, with their URDs)`,
    },
    { name: 'owner', argument: 'EMAIL', about: 'only what this user owns' },
  ],
  examples: [
    { line: `erace query "//urd[@id='12']"`, about: 'one unified resource description' },
    { line: `erace query "//keyword[@key='java']/ancestor::profile/@name"`, about: 'profiles with the keyword Java' },
    {
      line: 'erace query "count(//profile)"',
      about: 'number of profiles; the document has base/profiles and base/urds',
    },
    {
      line: `erace query '//urd[depth/@level $gt$ 2 $and$ keywords/keyword/@key $ieq$ "Java"]' --over urds`,
      about:
        'XQL: $eq$ $ne$ $lt$ $le$ $gt$ $ge$ ($ieq$ … ignore case), $and$ $or$ $not$ $union$ $intersect$ $any$ $all$',
    },
    {
      line: `erace query '//aci[@relevance $ge$ 10]/uri' --over annotations`,
      about: 'pages with annotations of high relevance',
    },
    {
      line: `erace query 'count(//webrace:document[@status $ge$ 400])' --over meta`,
      about: 'number of documents with an error status',
    },
  ],
  async prepare({ positionals, options, target, engine, io, json, quiet }, errors) {
    const [query, ...rest] = positionals
    const owner = readOwner(options, errors)
    const over = choice(options, 'over', queryTargets, errors) ?? 'profiles'
    if (over === 'meta' && owner !== null)
      errors.push({ place: '--owner', message: 'not valid with --over meta: documents have no owner' })
    if (query === undefined) errors.push({ place: 'QUERY', message: 'the query is missing' })
    refuseWords(rest, 'query takes one expression; put it in quotes', errors)
    return async () => {
      const result = await engine.query(target, { query: query ?? '', over, owner })
      if (result.kind === 'fault')
        throw new InvalidInputError('usage-wrong', [{ place: 'QUERY', message: result.message }])
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
