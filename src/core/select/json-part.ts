import { decodeText, detectCharset } from '../http/charset.ts'
import { Exhausted } from '../text/page-tree.ts'
import type { WorkBudget } from '../work/work-budget.ts'
import { placeOf, selectByJsonPath } from './json-path.ts'
import type { Selector } from './page-part.ts'

const maxJsonBytes = 10 * 1024 * 1024
const bytesPerStep = 8

type KeyTest = (key: string) => boolean

/** Which blocks of a JSON document selectors choose, by their keys. Throws `Exhausted` where that is too much work. */
export function chosenKeys(
  { body }: { readonly body: Uint8Array },
  { select, omit }: { readonly select: readonly Selector[]; readonly omit: readonly Selector[] },
  budget: WorkBudget,
): { select: KeyTest; omit: KeyTest } {
  const none: KeyTest = () => false
  if (![...select, ...omit].some(({ kind }) => kind === 'json')) return { select: none, omit: none }
  if (body.length > maxJsonBytes) throw new Exhausted('too large')
  budget.left -= body.length / bytesPerStep
  const document = parsed(body)
  if (document === undefined) return { select: none, omit: none }
  const testOf = (selectors: readonly Selector[]): KeyTest => {
    const chosen = new Set<string>()
    for (const selector of selectors)
      if (selector.kind === 'json')
        for (const node of selectByJsonPath(selector.path, document, budget)) chosen.add(jsonKey(placeOf(node)))
    // A value belongs to what was chosen if it is, or one that it is in.
    return (key) => chosen.size > 0 && prefixesOf(key).some((prefix) => chosen.has(prefix))
  }
  return { select: testOf(select), omit: testOf(omit) }
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(decodeText(body, detectCharset({ bytes: body }).charset))
  } catch {
    return undefined
  }
}

/** As the blocks of a JSON document are named. */
export function jsonKey(place: readonly (string | number)[]): string {
  return place.reduce<string>((key, step) => key + stepText(step, key === ''), '')
}

function stepText(step: string | number, isFirst: boolean): string {
  if (typeof step === 'number') return `[${step}]`
  if (!/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(step)) return `[${JSON.stringify(step)}]`
  return isFirst ? step : `.${step}`
}

/** The key, and those of all values around it. */
function prefixesOf(key: string): string[] {
  const prefixes = ['', key]
  let isQuoted = false
  for (let at = 1; at < key.length; at++) {
    if (key[at] === '"' && key[at - 1] !== '\\') isQuoted = !isQuoted
    if (!isQuoted && (key[at] === '.' || key[at] === '[')) prefixes.push(key.slice(0, at))
  }
  return prefixes
}
