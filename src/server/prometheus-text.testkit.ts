/** Strict parser of the Prometheus text format: rejects what a monitoring system would reject. */
export type MetricFamily = { help: string; type: string; samples: Sample[] }
export type Sample = { name: string; labels: Record<string, string>; value: number }

const types = new Set(['counter', 'gauge', 'histogram', 'summary', 'untyped'])
const nameForm = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const labelForm = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"'
const sampleLine = new RegExp(`^(${nameForm})(?:\\{(${labelForm}(?:,${labelForm})*)?\\})? (\\S+)(?: (-?\\d+))?$`)

export function readPrometheusText(text: string): Map<string, MetricFamily> {
  if (!text.endsWith('\n')) throw new Error('the last line does not end')
  const families = new Map<string, MetricFamily>()
  const seen = new Set<string>()
  for (const line of text.slice(0, -1).split('\n')) {
    if (line === '') continue
    const comment = new RegExp(`^# (HELP|TYPE) (${nameForm}) (.+)$`).exec(line)
    if (comment !== null) {
      note(families, comment[1] as 'HELP' | 'TYPE', comment[2]!, comment[3]!)
      continue
    }
    const sample = readSample(line)
    const key = `${sample.name} ${JSON.stringify(sample.labels)}`
    if (seen.has(key)) throw new Error(`twice: ${line}`)
    seen.add(key)
    familyOf(families, sample.name, line).samples.push(sample)
  }
  return families
}

function note(families: Map<string, MetricFamily>, kind: 'HELP' | 'TYPE', name: string, value: string): void {
  const family = families.get(name) ?? { help: '', type: '', samples: [] }
  families.set(name, family)
  if (family.samples.length > 0) throw new Error(`${kind} of ${name} comes behind its samples`)
  if (kind === 'HELP') family.help = value
  else if (types.has(value)) family.type = value
  else throw new Error(`${name} is of no type that there is: ${value}`)
}

function readSample(line: string): Sample {
  const found = sampleLine.exec(line)
  if (found === null) throw new Error(`not a sample: ${line}`)
  const [, name, pairs = '', number] = found
  const labels: Record<string, string> = {}
  for (const pair of pairs.match(new RegExp(labelForm, 'g')) ?? []) {
    const at = pair.indexOf('=')
    labels[pair.slice(0, at)] = JSON.parse(pair.slice(at + 1)) as string
  }
  return { name: name!, labels, value: numberOf(number!, line) }
}

function numberOf(text: string, line: string): number {
  if (text === '+Inf') return Number.POSITIVE_INFINITY
  if (text === '-Inf') return Number.NEGATIVE_INFINITY
  if (text === 'NaN') return Number.NaN
  if (!/^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) throw new Error(`not a number: ${line}`)
  return Number(text)
}

function familyOf(families: Map<string, MetricFamily>, name: string, line: string): MetricFamily {
  const own = families.get(name)
  const base = families.get(name.replace(/_(?:bucket|sum|count)$/, ''))
  const family = own ?? (base?.type === 'histogram' || base?.type === 'summary' ? base : undefined)
  if (family === undefined || family.type === '' || family.help === '')
    throw new Error(`nothing says of what type this is: ${line}`)
  return family
}
