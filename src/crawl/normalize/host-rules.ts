import { domainToASCII } from 'node:url'
import { AppError } from '../../core/errors.ts'

/**
 * LARM's host rules: which hosts count as one when URLs are compared. They never change what is fetched.
 *
 *     startsWith(www.)=              the start of a host name is replaced
 *     endsWith(.a.com)=.b.com        then the end
 *     synonym(host1)=host2           then the whole name
 *
 * The longest matching rule of each kind is applied, once; the order of lines does not matter. The result of a synonym
 * is not looked up again. A rule that would leave an empty host is not applied.
 */
export type HostRules = {
  readonly startsWith: ReadonlyMap<string, string>
  readonly endsWith: ReadonlyMap<string, string>
  readonly synonym: ReadonlyMap<string, string>
}

export const noHostRules: HostRules = { startsWith: new Map(), endsWith: new Map(), synonym: new Map() }

const maxRules = 100_000

/** Parses the subset of Java's properties syntax that rules need: `=` or `:` between the two sides, `#` or `!` before a comment. */
export function parseHostRules(text: string): HostRules {
  const rules = {
    startsWith: new Map<string, string>(),
    endsWith: new Map<string, string>(),
    synonym: new Map<string, string>(),
  }
  const faults: string[] = []
  let count = 0
  for (const [index, raw] of text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
    .entries()) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#') || line.startsWith('!')) continue
    count++
    const fault = count > maxRules ? `more than ${maxRules} rules` : addRule(rules, line)
    if (fault !== null) faults.push(`line ${index + 1}: ${fault}`)
    if (count > maxRules) break
  }
  if (faults.length > 0) throw new AppError('file-invalid', `wrong host rules:\n${faults.join('\n')}`)
  return rules
}

type MutableRules = { [kind in keyof HostRules]: Map<string, string> }

/** Returns what is wrong with the line; null if nothing is. */
function addRule(rules: MutableRules, line: string): string | null {
  const match = /^(\w+)\s*\(([^()]*)\)\s*[=:]\s*(.*)$/.exec(line)
  if (match === null) return `expected kind(host)=host, got ${JSON.stringify(line.slice(0, 80))}`
  const kind = match[1]!
  if (kind !== 'startsWith' && kind !== 'endsWith' && kind !== 'synonym') {
    return `unknown rule ${JSON.stringify(kind.slice(0, 40))}; there are startsWith, endsWith and synonym`
  }
  const from = readHostPart(match[2]!)
  const to = readHostPart(match[3]!)
  if (from === null || from === '') return `${JSON.stringify(match[2]!.slice(0, 80))} is no part of a host name`
  if (to === null) return `${JSON.stringify(match[3]!.slice(0, 80))} is no part of a host name`
  if (kind === 'synonym' && to === '') return 'a synonym needs a host on the right'
  const before = rules[kind].get(from)
  if (before !== undefined && before !== to) return `a second rule for ${kind}(${from})`
  rules[kind].set(from, to)
  return null
}

/** Lower-case, with dots for commas and other scripts in the form used in URLs; null if no host can contain it. */
function readHostPart(text: string): string | null {
  const part = text.trim().replaceAll(',', '.').toLowerCase()
  if (/^[a-z0-9._-]{0,253}$/.test(part)) return part
  if (part.length > 253 || /[\s/:?#@%[\]\\]/.test(part)) return null
  const ascii = domainToASCII(part)
  return ascii === '' ? null : ascii
}

/** Applies the rules to a host name. The lengths to try are computed once. */
export function createHostResolver(rules: HostRules): (host: string) => string {
  const starts = lengthsOf(rules.startsWith)
  const ends = lengthsOf(rules.endsWith)
  return (host) => {
    let result = host
    for (const length of starts) {
      const to = length <= result.length ? rules.startsWith.get(result.slice(0, length)) : undefined
      if (to === undefined || to.length + result.length === length) continue
      result = to + result.slice(length)
      break
    }
    for (const length of ends) {
      const to = length <= result.length ? rules.endsWith.get(result.slice(-length)) : undefined
      if (to === undefined || to.length + result.length === length) continue
      result = result.slice(0, -length) + to
      break
    }
    return rules.synonym.get(result) ?? result
  }
}

export function hasHostRules(rules: HostRules): boolean {
  return rules.startsWith.size + rules.endsWith.size + rules.synonym.size > 0
}

function lengthsOf(rules: ReadonlyMap<string, string>): number[] {
  return [...new Set([...rules.keys()].map((part) => part.length))].sort((left, right) => right - left)
}
