import type { Random } from '../../../bench/origin/random.ts'
import type { Schema, World } from './operations.ts'

/** A value that the schema allows and that makes sense for this name. */
export function exampleOf(schema: Schema, name: string, world: World, random: Random): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return random.pick(schema.enum)
  if (schema.anyOf !== undefined) return exampleOf(random.pick(schema.anyOf), name, world, random)
  switch (schema.type) {
    case 'boolean':
      return random.below(2) === 0
    case 'integer':
      return integerOf(schema, random)
    case 'number':
      return integerOf(schema, random) + random.pick([0, 0.5, 0.001])
    case 'null':
      return null
    case 'array': {
      const count = (schema.minItems ?? 0) + random.below(3)
      return Array.from({ length: count }, () => exampleOf(schema.items ?? {}, name, world, random))
    }
    case 'object':
      return objectOf(schema, world, random)
    default:
      return textOf(schema, name, world, random)
  }
}

function integerOf({ minimum = 0, maximum = 1000 }: Schema, random: Random): number {
  const near = minimum + random.below(Math.max(1, Math.min(20, maximum - minimum)))
  return random.below(5) > 0 ? near : random.pick([minimum, maximum, Math.floor((minimum + maximum) / 2)])
}

function objectOf({ properties = {}, required = [] }: Schema, world: World, random: Random): Record<string, unknown> {
  const given = Object.entries(properties).filter(([key]) => required.includes(key) || random.below(2) === 0)
  return Object.fromEntries(given.map(([key, schema]) => [key, exampleOf(schema, key, world, random)]))
}

function textOf(
  { minLength = 0, maxLength = 100, format }: Schema,
  name: string,
  world: World,
  random: Random,
): string {
  if (format === 'date-time') return random.pick(['2030-01-01T00:00:00Z', '2001-01-01T00:00:00Z'])
  switch (name) {
    case 'url':
      return random.pick([...world.urls, world.secretUrl])
    case 'seeds':
      return random.pick(world.urls)
    case 'q':
      return random.pick([
        'java',
        'java research',
        '"java research"',
        'site:127.0.0.1 java',
        'intitle:page',
        'java NOT x',
      ])
    case 'email':
      return random.pick(['zoe@example.org', `new${random.below(50)}@example.org`])
    case 'cursor':
      return Buffer.from(random.pick(['1', '5', '"a"', '0', '9007199254740991'])).toString('base64url')
    case 'profile':
      return random.pick(world.profiles)
    case 'host':
      return '127.0.0.1'
    case 'restrict':
      return random.pick(['^http://127', 'page'])
    case 'every':
      return random.pick(['1h', '10m'])
    case 'timeZone':
      return random.pick(['', 'UTC', 'Europe/Nicosia'])
    default:
      return 'a text that is long enough'.slice(0, maxLength).padEnd(minLength, 'x')
  }
}

/** A profile for `POST /profiles`; the OpenAPI document only says that it is an object. */
export function profileExample(world: World, random: Random): Record<string, unknown> {
  const maybe = <T>(key: string, value: T): Record<string, T> => (random.below(2) === 0 ? { [key]: value } : {})
  const source = () => ({
    uri: random.pick(world.urls),
    ...maybe('every', random.pick(['1h', '10m', '1d'])),
    ...maybe('everyMax', '7d'),
    ...maybe('depth', random.below(3)),
    ...maybe('scope', random.pick<unknown>(['page', 'path', 'host', 'domain', { pattern: '^http://127.*page' }])),
    ...maybe('process', random.pick(['filter', 'track', 'archive'])),
    ...maybe('window', { zone: 'Europe/Nicosia', days: [1, 7], from: '22:00', to: '02:00' }),
  })
  return {
    ...maybe('name', 'a name'),
    sources: Array.from({ length: 1 + random.below(3) }, source),
    ...maybe('interests', {
      keywords: [
        { key: 'java', weight: 4 },
        { key: 'research lab', weight: 0.5 },
      ],
      ...maybe('exclude', ['football']),
      ...maybe('expression', random.pick(['java OR /res[ea]+rch/', '(a AND b) NOT "c d"', 'intitle:page'])),
      ...maybe('threshold', random.below(5)),
      ...maybe('stemming', 'en'),
      ...maybe('scorer', random.pick(['keywords', 'bm25'])),
      ...maybe('ignore', ['\\d\\d:\\d\\d', 'edition \\d+']),
    }),
    ...maybe('urgency', random.pick([0.1, 1, 100])),
    ...maybe('amount', random.pick(['summary', 'full'])),
    ...maybe('delivery', { channels: ['inbox'], cadence: 'immediate' }),
    ...maybe('paused', random.below(2) === 0),
  }
}
