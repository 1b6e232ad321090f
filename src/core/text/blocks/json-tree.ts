/** JSON as written: numbers keep their digits, names their order. */
export type JsonNode =
  | { readonly kind: 'object'; readonly names: string[]; readonly values: JsonNode[] }
  | { readonly kind: 'array'; readonly values: JsonNode[] }
  | { readonly kind: 'string'; readonly text: string }
  /** A number, `true`, `false` or `null`; or, if nested too deep, the first values of a container, followed by `…`. */
  | { readonly kind: 'word'; readonly text: string }

export type JsonTree = {
  readonly root: JsonNode
  /** Something is nested too deep, there are too many values, or the end is cut off. */
  readonly isCut: boolean
  /** The values cut off by the end of the text: the containers around it, and a number that may have more digits. */
  readonly unfinished: ReadonlySet<JsonNode>
}

/** Maximum characters kept of a container nested too deep. */
const maxDeepCharacters = 1000

export type JsonLimits = { readonly maxDepth: number; readonly maxNodes: number }

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const word = /true|false|null/y
const space = /[ \t\r\n]*/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings have none
const plainString = /[^"\\\x00-\x1f]*/y
/** Characters with a meaning outside strings. */
const structure = /["[\]{}]/g

class NotJson extends Error {}

type Container = Extract<JsonNode, { values: JsonNode[] }>

/**
 * Reads JSON without recursion, so that deep nesting costs nothing; null if it isn't JSON. `mayEnd` accepts a text whose end was cut off.
 */
export function readJson(text: string, { maxDepth, maxNodes }: JsonLimits, mayEnd: boolean): JsonTree | null {
  const reader = new JsonReader(text, maxDepth, maxNodes)
  try {
    return reader.read(mayEnd)
  } catch (error) {
    if (error instanceof NotJson) return null
    throw error
  }
}

class JsonReader {
  private at = 0
  private isCut = false
  private nodes = 0
  private readonly text: string
  private readonly maxDepth: number
  private readonly maxNodes: number

  constructor(text: string, maxDepth: number, maxNodes: number) {
    this.text = text
    this.maxDepth = maxDepth
    this.maxNodes = maxNodes
  }

  read(mayEnd: boolean): JsonTree {
    const open: Container[] = []
    const unfinished = new Set<JsonNode>()
    let root: JsonNode | null = null
    try {
      do {
        const top = open.at(-1)
        if (top !== undefined && this.closes(top)) {
          open.pop()
          continue
        }
        if (top?.kind === 'object') top.names.push(this.name())
        const node = this.value(open.length)
        if (top === undefined) root = node
        else top.values.push(node)
        if (node.kind === 'object' || node.kind === 'array') open.push(node)
      } while (open.length > 0 && this.nodes < this.maxNodes)
    } catch (error) {
      if (!(error instanceof NotJson) || !mayEnd || root === null || this.at < this.text.length) throw error
      this.isCut = true
      const last = open.at(-1)?.values.at(-1)
      if (last?.kind === 'word' && this.text.endsWith(last.text)) unfinished.add(last)
    }
    for (const node of open) unfinished.add(node)
    if (this.nodes >= this.maxNodes) this.isCut ||= open.length > 0
    else if (!this.isCut && this.skipSpace() < this.text.length) throw new NotJson()
    // Drop a name whose value is missing.
    for (const node of open) if (node.kind === 'object') node.names.length = node.values.length
    return { root: root!, isCut: this.isCut, unfinished }
  }

  private skipSpace(): number {
    space.lastIndex = this.at
    space.exec(this.text)
    this.at = space.lastIndex
    return this.at
  }

  private fail(): never {
    throw new NotJson()
  }

  /** Consumes the end of a container (returns true), or the comma before its next value. */
  private closes({ kind, values }: Container): boolean {
    const character = this.text[this.skipSpace()]
    if (character === (kind === 'object' ? '}' : ']')) {
      this.at++
      return true
    }
    if (values.length === 0) return false
    if (character !== ',') this.fail()
    this.at++
    return false
  }

  private name(): string {
    if (this.text[this.skipSpace()] !== '"') this.fail()
    const name = this.string()
    if (this.text[this.skipSpace()] !== ':') this.fail()
    this.at++
    return name
  }

  private value(depth: number): JsonNode {
    this.nodes++
    const character = this.text[this.skipSpace()]
    if (character === '"') return { kind: 'string', text: this.string() }
    if (character !== '{' && character !== '[') return { kind: 'word', text: this.wordText() }
    if (depth >= this.maxDepth) {
      this.isCut = true
      return { kind: 'word', text: this.deepValues() }
    }
    this.at++
    return character === '{' ? { kind: 'object', names: [], values: [] } : { kind: 'array', values: [] }
  }

  private wordText(): string {
    for (const expression of [number, word]) {
      expression.lastIndex = this.at
      const found = expression.exec(this.text)
      if (found === null) continue
      this.at = expression.lastIndex
      return found[0]
    }
    this.fail()
  }

  private string(): string {
    const start = this.at
    const end = this.stringEnd(start)
    this.at = end
    const text = this.text.slice(start + 1, end - 1)
    if (!text.includes('\\')) return text
    try {
      return JSON.parse(this.text.slice(start, end)) as string
    } catch {
      this.fail()
    }
  }

  private stringEnd(start: number): number {
    let at = start + 1
    for (;;) {
      plainString.lastIndex = at
      plainString.exec(this.text)
      at = plainString.lastIndex
      if (this.text[at] === '"') return at + 1
      if (this.text[at] !== '\\') {
        this.at = at
        this.fail()
      }
      at += 2
    }
  }

  /** Skips a container and returns the first of its values. */
  private deepValues(): string {
    const values: string[] = []
    let length = 0
    let depth = 0
    const add = (value: string): void => {
      if (value === '' || length >= maxDeepCharacters) return
      values.push(value.slice(0, maxDeepCharacters - length))
      length += value.length + 1
    }
    let from = this.at
    structure.lastIndex = this.at
    for (let found = structure.exec(this.text); found !== null; found = structure.exec(this.text)) {
      const sign = found[0]
      const { index } = found
      if (length < maxDeepCharacters)
        for (const each of this.text.slice(from, Math.min(index, from + maxDeepCharacters)).split(/[\s,:]+/)) add(each)
      if (sign === '"') {
        structure.lastIndex = this.stringEnd(index)
        if (!this.isName(structure.lastIndex)) add(this.text.slice(index + 1, structure.lastIndex - 1))
      } else depth += sign === '{' || sign === '[' ? 1 : -1
      from = structure.lastIndex
      if (depth === 0) {
        this.at = from
        return [...values, '…'].join(' ').toWellFormed()
      }
    }
    this.at = this.text.length
    this.fail()
  }

  /** Whether a colon follows. */
  private isName(at: number): boolean {
    space.lastIndex = at
    space.exec(this.text)
    return this.text[space.lastIndex] === ':'
  }
}
