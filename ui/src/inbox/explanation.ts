/** The explanation as the matcher writes it; unknown and missing fields are harmless. */
export type ExplainedTerm = { key: string; weight: number; worth: number; count: number; inTitle: number }
export type Why =
  | {
      kind: 'interests'
      relevance: number
      threshold: number
      /** Only the change was matched, not the whole page. */
      isOfChange: boolean
      terms: ExplainedTerm[]
      furtherTerms: number
      furtherWorth: number
      exclusions: string[]
      expression: { source: string } | null
    }
  | { kind: 'tracked'; added: number | null; removed: number | null }
  | { kind: 'gone'; status: number }
  | { kind: 'unknown' }

type Loose = Record<string, unknown>

const isRecord = (value: unknown): value is Loose => typeof value === 'object' && value !== null
const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0)
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const recordsOf = (value: unknown): Loose[] => (Array.isArray(value) ? value.filter(isRecord) : [])

function termOf(term: Loose): ExplainedTerm {
  return {
    key: textOf(term.key),
    weight: numberOf(term.weight),
    worth: numberOf(term.worth),
    count: numberOf(term.count),
    inTitle: numberOf(term.inTitle),
  }
}

function expressionOf(value: unknown) {
  return isRecord(value) && textOf(value.source) !== '' ? { source: textOf(value.source) } : null
}

export function readExplanation(value: unknown): Why {
  if (!isRecord(value)) return { kind: 'unknown' }
  if ('gone' in value) return { kind: 'gone', status: numberOf(value.gone) }
  if (value.tracked === true) {
    const count = (member: unknown) => (typeof member === 'number' ? member : null)
    return { kind: 'tracked', added: count(value.added), removed: count(value.removed) }
  }
  if (typeof value.threshold !== 'number') return { kind: 'unknown' }
  const further = isRecord(value.further) ? value.further : {}
  return {
    kind: 'interests',
    relevance: numberOf(value.relevance),
    threshold: value.threshold,
    isOfChange: value.match === 'change',
    terms: recordsOf(value.terms).map(termOf),
    furtherTerms: numberOf(further.terms),
    furtherWorth: numberOf(further.worth),
    exclusions: Array.isArray(value.exclusions) ? value.exclusions.map(textOf) : [],
    expression: expressionOf(value.expression),
  }
}
