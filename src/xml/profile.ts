import { profileDefaults } from './profile-defaults.ts'
import {
  amountElement,
  deliveryElement,
  interestElements,
  keywordsElement,
  scopeElement,
  type WrittenAmount,
  type WrittenDelivery,
  type WrittenInterests,
  type WrittenSource,
  windowElement,
} from './profile-parts.ts'
import { attributes } from './xml-attributes.ts'
import { declaration, writeItems } from './xml-items.ts'
import { bareTextElement } from './xml-writing.ts'

/** A profile as XML. The grammar, and what each element means, is in `profile.dtd`. */
export type WrittenProfile = {
  /** '' is left out, as is an owner's. */
  readonly id: string
  readonly owner: string
  readonly name: string
  readonly paused: boolean
  readonly sources: readonly WrittenSource[]
  readonly interests: WrittenInterests
  readonly urgency: number
  readonly amount: WrittenAmount
  readonly delivery: WrittenDelivery
}

/** A file of many, one in memory at a time. */
export function writeProfiles(
  profiles: Iterable<WrittenProfile> | AsyncIterable<WrittenProfile>,
): AsyncGenerator<string, void, undefined> {
  return writeItems('profiles', profiles, profileElement)
}

/** A file of one profile, which is its root. */
export function writeProfile(profile: WrittenProfile): string {
  return declaration + profileElement(profile)
}

export function profileElement(profile: WrittenProfile): string {
  const { id, owner, name, paused, sources, interests, urgency } = profile
  const list = attributes({ id: id || null, owner: owner || null, name, paused: paused || null })
  let text = `<profile${list}>\n  <data>\n`
  for (const source of sources) text += sourceElement(source)
  text += '  </data>\n'
  const wishes = keywordsElement(interests, '    ') + interestElements(interests, '    ')
  if (wishes !== '') text += `  <interests>\n${wishes}  </interests>\n`
  text += `  <control>\n    <urgency${attributes({ urgent: urgency })}/>\n`
  text += amountElement(profile.amount, '    ') + deliveryElement(profile.delivery, '    ')
  return `${text}  </control>\n</profile>\n`
}

function sourceElement({ uri, everyMs, everyMaxMs, depth, process, scope, window }: WrittenSource): string {
  const list = attributes({
    every: interval(everyMs),
    max: everyMaxMs === everyMs ? null : interval(everyMaxMs),
    depth: depth === profileDefaults.depth ? null : depth,
    process,
  })
  let text = `    <source${list}>\n      ${bareTextElement('uri', uri)}\n`
  text += scopeElement(scope, '      ') + windowElement(window, '      ')
  return `${text}    </source>\n`
}

/** In the largest unit that makes a whole number. */
function interval(ms: number): string {
  for (const [unit, size] of [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1000],
  ] as const) {
    if (ms >= size && ms % size === 0) return `${ms / size}${unit}`
  }
  return `${ms}ms`
}
