import { spawnSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'

/**
 * Generates the types of the pages from the server's schemas, so that the two cannot drift apart although the pages
 * import nothing from the server.
 */

const root = fileURLToPath(new URL('..', import.meta.url))
const schemaFolder = `${root}src/server/schemas/`
export const typesPath = `${root}ui/src/api/types.ts`

type Schema = {
  type?: string
  const?: string | number | boolean
  enum?: (string | number)[]
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minItems?: number
  maxItems?: number
}

function isSchema(value: unknown): value is Schema {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return ('type' in value && typeof value.type === 'string') || ('anyOf' in value && Array.isArray(value.anyOf))
}

type Names = ReadonlyMap<string, string>

/** Fewer common members are a coincidence. */
const MIN_SHARED = 4

/** Only objects are referred to by name; a `Time` is a string. */
function nameOf(schema: Schema, names: Names): string | undefined {
  return schema.properties === undefined ? undefined : names.get(JSON.stringify(schema))
}

function typeOf(schema: Schema, names: Names): string {
  return nameOf(schema, names) ?? shapeOf(schema, names)
}

function shapeOf(schema: Schema, names: Names): string {
  if (schema.anyOf !== undefined) return schema.anyOf.map((one) => typeOf(one, names)).join(' | ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((one) => JSON.stringify(one)).join(' | ')
  switch (schema.type) {
    case 'array':
      return arrayOf(schema, names)
    case 'object':
      return objectOf(schema, names)
    case 'integer':
    case 'number':
      return 'number'
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type
    default:
      return 'unknown'
  }
}

function arrayOf({ items, minItems, maxItems }: Schema, names: Names): string {
  const item = items === undefined ? 'unknown' : typeOf(items, names)
  if (minItems !== undefined && minItems === maxItems) return `[${Array(minItems).fill(item).join(', ')}]`
  return /^\w+$/.test(item) ? `${item}[]` : `(${item})[]`
}

function objectOf({ properties, required = [] }: Schema, names: Names): string {
  if (properties === undefined) return 'Record<string, unknown>'
  const members = Object.entries(properties).map(([key, value]) => {
    return `${key}${required.includes(key) ? '' : '?'}: ${typeOf(value, names)}`
  })
  return `{ ${members.join('; ')} }`
}

type Member = { text: string; isRequired: boolean }

function membersOf({ properties = {}, required = [] }: Schema): Map<string, Member> {
  const entries = Object.entries(properties)
  return new Map(
    entries.map(([key, value]) => [key, { text: JSON.stringify(value), isRequired: required.includes(key) }]),
  )
}

/** The largest other schema whose members this one has too; it becomes that type plus the rest. */
function baseOf(name: string, schema: Schema, schemas: readonly [string, Schema][]): [string, Schema] | undefined {
  const own = membersOf(schema)
  const isWithin = ([other, candidate]: [string, Schema]): boolean => {
    const members = membersOf(candidate)
    if (other === name || members.size < MIN_SHARED || members.size >= own.size) return false
    return [...members].every(([key, { text, isRequired }]) => {
      return own.get(key)?.text === text && own.get(key)?.isRequired === isRequired
    })
  }
  return schemas.filter(isWithin).sort(([, a], [, b]) => membersOf(b).size - membersOf(a).size)[0]
}

function declaredShape(name: string, schema: Schema, schemas: readonly [string, Schema][], names: Names): string {
  const base = schema.properties === undefined ? undefined : baseOf(name, schema, schemas)
  if (base === undefined) return shapeOf(schema, names)
  const known = membersOf(base[1])
  const rest = Object.entries(schema.properties!).filter(([key]) => !known.has(key))
  return `${base[0]} & ${objectOf({ ...schema, properties: Object.fromEntries(rest) }, names)}`
}

async function readSchemas(): Promise<[string, Schema][]> {
  const found: [string, Schema][] = []
  for (const file of readdirSync(schemaFolder).sort()) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue
    const module: Record<string, unknown> = await import(pathToFileURL(schemaFolder + file).href)
    for (const [name, value] of Object.entries(module)) if (isSchema(value)) found.push([name, value])
  }
  return found.sort(([a], [b]) => (a < b ? -1 : 1))
}

/** The formatted text of the file. */
export async function uiTypes(): Promise<string> {
  const schemas = await readSchemas()
  const names = new Map<string, string>()
  for (const [name, schema] of schemas) {
    const shape = JSON.stringify(schema)
    if (!names.has(shape)) names.set(shape, name)
  }
  const types = schemas.map(([name, schema]) => {
    const known = nameOf(schema, names)
    return `export type ${name} = ${known === undefined || known === name ? declaredShape(name, schema, schemas, names) : known}`
  })
  const head = '// Written by `node scripts/ui-types.ts` from src/server/schemas; do not edit.\n'
  return formatted([head, ...types].join('\n'))
}

function formatted(text: string): string {
  const biome = spawnSync(
    process.execPath,
    [`${root}node_modules/@biomejs/biome/bin/biome`, 'format', `--stdin-file-path=${typesPath}`],
    {
      input: text,
      encoding: 'utf8',
      cwd: root,
    },
  )
  if (biome.status !== 0) throw new Error(`The types cannot be formatted: ${biome.stderr}`)
  return biome.stdout
}

if (import.meta.main) writeFileSync(typesPath, await uiTypes())
