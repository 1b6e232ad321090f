/** The part of JSON Schema that the API uses. */
export type JsonSchema = {
  $ref?: string
  type?: string | string[]
  description?: string
  properties?: Record<string, JsonSchema>
  patternProperties?: Record<string, JsonSchema>
  additionalProperties?: JsonSchema | boolean
  required?: readonly string[]
  items?: JsonSchema | JsonSchema[]
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  allOf?: JsonSchema[]
  enum?: readonly unknown[]
  const?: unknown
  format?: string
  default?: unknown
  minimum?: number
  maximum?: number
  maxLength?: number
}

const MAX_DEPTH = 12

/** A schema as a readable outline: one line per member, `?` after optional ones. */
export function outlineOf(schema: JsonSchema, indent = '', depth = 0): string {
  if (depth > MAX_DEPTH) return '…'
  if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return choices.map((choice) => outlineOf(choice, indent, depth + 1)).join(' | ')
  if (schema.allOf !== undefined) return schema.allOf.map((part) => outlineOf(part, indent, depth + 1)).join(' & ')
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.items !== undefined) return outlineOfList(schema.items, indent, depth)
  if (schema.properties !== undefined) return outlineOfObject(schema, indent, depth)
  const others = Object.values(schema.patternProperties ?? {})[0] ?? schema.additionalProperties
  if (typeof others === 'object') return `{ [name]: ${outlineOf(others, indent, depth + 1)} }`
  return outlineOfValue(schema)
}

function outlineOfList(items: JsonSchema | JsonSchema[], indent: string, depth: number): string {
  if (Array.isArray(items)) return `[${items.map((item) => outlineOf(item, indent, depth + 1)).join(', ')}]`
  const inner = outlineOf(items, indent, depth + 1)
  return inner.includes(' | ') && !inner.includes('\n') ? `(${inner})[]` : `${inner}[]`
}

function outlineOfObject({ properties = {}, required = [] }: JsonSchema, indent: string, depth: number): string {
  const inner = `${indent}  `
  const lines = Object.entries(properties).map(([name, property]) => {
    const about = property.description === undefined ? '' : `   // ${property.description}`
    return `${inner}${name}${required.includes(name) ? '' : '?'}: ${outlineOf(property, inner, depth + 1)}${about}\n`
  })
  return lines.length === 0 ? '{}' : `{\n${lines.join('')}${indent}}`
}

function outlineOfValue({ type, format, minimum, maximum, maxLength, default: usual }: JsonSchema): string {
  const name = format === 'date-time' ? 'time' : type === undefined ? 'anything' : [type].flat().join(' | ')
  const limits = [
    minimum !== undefined && minimum !== 0 ? `from ${minimum}` : '',
    maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER ? `to ${maximum}` : '',
    maxLength !== undefined ? `at most ${maxLength} characters` : '',
    usual !== undefined ? `else ${JSON.stringify(usual)}` : '',
  ].filter((limit) => limit !== '')
  return limits.length === 0 ? name : `${name} (${limits.join(', ')})`
}

/** A minimal value that satisfies a schema, for examples. */
export function exampleOf(schema: JsonSchema, depth = 0): unknown {
  if (depth > MAX_DEPTH) return null
  if (schema.default !== undefined) return schema.default
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  const choice = (schema.anyOf ?? schema.oneOf ?? schema.allOf)?.[0]
  if (choice !== undefined) return exampleOf(choice, depth + 1)
  switch ([schema.type].flat()[0]) {
    case 'object': {
      const { properties = {}, required = [] } = schema
      return Object.fromEntries(
        required.map((name) => [name, exampleOf(Object.hasOwn(properties, name) ? properties[name]! : {}, depth + 1)]),
      )
    }
    case 'array':
      return schema.items === undefined ? [] : [exampleOf([schema.items].flat()[0]!, depth + 1)]
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return schema.format === 'date-time' ? '2026-01-01T00:00:00.000Z' : '…'
  }
}
