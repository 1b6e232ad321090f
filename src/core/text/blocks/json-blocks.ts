import { hash } from 'node:crypto'
import type { Block, Blocks } from '../../change/change.ts'
import { type JsonNode, type JsonTree, readJson } from './json-tree.ts'
import { lineOf } from './seen-text.ts'

const limits = { maxDepth: 200, maxNodes: 200_000 }
const maxNameCharacters = 100
const maxKeyCharacters = 1000
const maxIdCharacters = 100

/** Fields that identify the objects of an array, the most reliable first. */
const idNames = ['id', '@id', '_id', 'uuid', 'guid', 'key', 'sku', 'slug', 'name', 'url']
const identifier = /^[\p{L}_][\p{L}\p{N}_]*$/u

/** Null if it isn't JSON. `mayEnd`: the end may be cut off. */
export function readJsonTree(page: Buffer, mayEnd: boolean): JsonTree | null {
  // Some services send `)]}'` first, so that their response can't be run as a script.
  const text = page.toString('utf8').replace(/^\ufeff?\s*(?:\)\]\}',?\s*)?/, '')
  return readJson(text, limits, mayEnd)
}

/**
 * One block per value, identified by its path. Objects of an array are identified by a field such as `id` if all have it and it is unique:
 * `$.items[id=42].price`. Otherwise by index, so that an insertion changes all that follow.
 */
export function jsonBlocks(tree: JsonTree, maxBlocks: number): Blocks {
  const blocks: Block[] = []
  const pending: { node: JsonNode; path: string }[] = [{ node: tree.root, path: '$' }]
  let { isCut } = tree
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, path } = next
    if (blocks.length >= maxBlocks) {
      isCut = true
      continue
    }
    if ((node.kind === 'object' || node.kind === 'array') && node.values.length > 0) {
      const steps = node.kind === 'object' ? node.names.map(nameStep) : elementSteps(node.values)
      for (let i = node.values.length - 1; i >= 0; i--)
        pending.push({ node: node.values[i]!, path: joined(path, steps[i]!) })
    } else blocks.push({ kind: 'value', text: shownValue(node), trail: [], key: path, place: placeOf(path), level: 0 })
  }
  return { kind: 'json', title: '', blocks, isCut }
}

/** A path that is too long is replaced by its beginning and a hash of the whole. */
function joined(path: string, step: string): string {
  const whole = path + step
  if (whole.length <= maxKeyCharacters) return whole
  return `${whole.slice(0, maxKeyCharacters / 2)}…${hash('sha256', whole, 'base64url').slice(0, 10)}`
}

function shownValue(node: JsonNode): string {
  switch (node.kind) {
    case 'object':
      return '{}'
    case 'array':
      return '[]'
    case 'string':
      return lineOf(node.text) || '""'
    default:
      return node.text
  }
}

export function nameStep(name: string): string {
  const short = name.length > maxNameCharacters ? `${name.slice(0, maxNameCharacters)}…` : name
  return identifier.test(short) ? `.${short}` : `[${JSON.stringify(short)}]`
}

export function elementSteps(values: readonly JsonNode[]): string[] {
  for (const name of idNames) {
    const ids = values.map((value) => idOf(value, name))
    if (!ids.includes(null) && new Set(ids).size === ids.length) return ids.map((id) => `[${name}=${id}]`)
  }
  return values.map((_, index) => `[${index}]`)
}

function idOf(node: JsonNode, name: string): string | null {
  if (node.kind !== 'object') return null
  const value = node.values[node.names.indexOf(name)]
  if (value === undefined || (value.kind !== 'string' && value.kind !== 'word')) return null
  const id = lineOf(value.text)
  return id === '' || id === 'null' || id.length > maxIdCharacters ? null : id
}

/** The path without array positions: the same for all elements of an array. */
function placeOf(path: string): string {
  return path.replace(/\[(?:\d+|[^"\]]*=[^\]]*)\]/g, '[]')
}
