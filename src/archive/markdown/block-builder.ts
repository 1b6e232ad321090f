import { createInlineText, type InlineText, type TakenText } from './inline-text.ts'
import { cellText, type MarkdownBlock, type Region } from './markdown-blocks.ts'
import { createTable, type TableBuilder } from './table-builder.ts'

type Container =
  /** `isScope`: items in it don't belong to a list around it. */
  | { kind: 'flow'; blocks: MarkdownBlock[]; isScope?: boolean }
  /** `isImplied`: created for items without a list around them. */
  | { kind: 'list'; items: MarkdownBlock[][]; isImplied: boolean }
  | { kind: 'table'; table: TableBuilder; blocks: MarkdownBlock[] }

/** Deeper lists, quotes and tables are flattened. */
const maxContainers = 24

/** Builds blocks from the tags of a page. `open` returns a function to be called at the end of the element. */
export type BlockBuilder = {
  readonly inline: InlineText
  open(name: string, given: ReadonlyMap<string, string>, region: Region): () => void
  text(content: string): void
  breakLine(): void
  rule(region: Region): void
  /** Whether text is taken verbatim. */
  isCode(): boolean
  noteLanguage(given: ReadonlyMap<string, string>): void
  /** Approximate number of characters so far. */
  size(): number
  /** `sizes`: text characters by region. */
  finish(): { blocks: MarkdownBlock[]; sizes: [number, number, number] }
}

export function createBlockBuilder(): BlockBuilder {
  const root: MarkdownBlock[] = []
  const containers: Container[] = [{ kind: 'flow', blocks: root }]
  const inline = createInlineText()
  const sizes: [number, number, number] = [0, 0, 0]
  let region: Region = 1
  let heading = 0
  let code: { text: string; language: string; isLineEnd: boolean } | null = null
  let chars = 0
  /** Characters of the current block. */
  let pending = 0

  function flow(): MarkdownBlock[] {
    for (let container = containers.at(-1)!; ; container = containers.at(-1)!) {
      if (container.kind !== 'list') return container.blocks
      if (container.isImplied) containers.pop()
      else {
        // Content of a list outside its items becomes an item.
        container.items.push([])
        return container.items.at(-1)!
      }
    }
  }

  /** Even an empty block counts a little, so that their number is bounded. */
  function put(block: MarkdownBlock, { text, targetChars }: TakenText): void {
    // Link targets don't count as text: otherwise lists of links would outweigh it.
    sizes[region] += text.length - targetChars
    chars += text.length + 2
    flow().push(block)
  }

  function flush(): void {
    pending = 0
    const taken = inline.take()
    const { text } = taken
    if (text === '') return
    if (heading > 0) put({ kind: 'heading', level: heading, text, region }, taken)
    else put({ kind: 'paragraph', text, region }, taken)
  }

  /** Opens a container. The end of the element closes everything opened inside. */
  function push(container: Container): () => void {
    const depth = containers.length
    containers.push(container)
    return () => {
      flush()
      containers.length = Math.min(containers.length, depth)
    }
  }

  const isDeep = () => containers.length >= maxContainers

  function innermost<K extends Container['kind']>(kind: K): Extract<Container, { kind: K }> | null {
    const isBound = (each: Container): boolean =>
      each.kind === 'table' || (each.kind === 'flow' && each.isScope === true)
    const found = containers.findLast((each) => each.kind === kind || (kind === 'list' && isBound(each)))
    return found?.kind === kind ? (found as Extract<Container, { kind: K }>) : null
  }

  function openList(isOrdered: boolean, start: number, isImplied = false): () => void {
    const list: MarkdownBlock = { kind: 'list', isOrdered, start, items: [] }
    flow().push(list)
    return push({ kind: 'list', items: list.items, isImplied })
  }

  function openItem(): () => void {
    if (innermost('list') === null) openList(false, 1, true)
    const item: MarkdownBlock[] = []
    innermost('list')!.items.push(item)
    chars += 2
    return push({ kind: 'flow', blocks: item })
  }

  function openTable(given: ReadonlyMap<string, string>): () => void {
    const outer = innermost('table')
    outer?.table.noteTable()
    const table = createTable(/^(?:presentation|none)$/.test(given.get('role') ?? ''))
    const stray: MarkdownBlock[] = []
    const own = region
    const close = push({ kind: 'table', table, blocks: stray })
    return () => {
      close()
      for (const block of stray) flow().push(block)
      for (const block of table.finish(own)) flow().push(block)
    }
  }

  function openCell(name: string, given: ReadonlyMap<string, string>): () => void {
    const table = innermost('table')
    if (table === null) return flush
    chars += 3
    return push({ kind: 'flow', blocks: table.table.cell(name === 'th', given) })
  }

  function openCode(given: ReadonlyMap<string, string>): () => void {
    if (code !== null) return () => {}
    const own = { text: '', language: languageOf(given), isLineEnd: false }
    code = own
    const at = region
    return () => {
      code = null
      const { text, language } = own
      if (text.trim() !== '') put({ kind: 'code', text, language, region: at }, { text, targetChars: 0 })
    }
  }

  function addCode(text: string): void {
    if (code === null || text === '') return
    code.text += text
    code.isLineEnd = text.endsWith('\n')
  }

  function openCaption(): () => void {
    const table = innermost('table')
    const held: MarkdownBlock[] = []
    const close = push({ kind: 'flow', blocks: held })
    return () => {
      close()
      if (table === null) for (const block of held) flow().push(block)
      else table.table.caption(cellText(held))
    }
  }

  function openKind(name: string, given: ReadonlyMap<string, string>): () => void {
    if (/^h[1-6]$/.test(name)) {
      const outer = heading
      heading = Number(name[1])
      return () => {
        flush()
        heading = outer
      }
    }
    if (name === 'tr') {
      innermost('table')?.table.row()
      return flush
    }
    if (isDeep()) return flush
    switch (name) {
      case 'ul':
      case 'menu':
      case 'dir':
      case 'ol':
        return openList(name === 'ol', startOf(given.get('start')))
      case 'li':
      case 'dd':
        return openItem()
      case 'dl':
        return push({ kind: 'flow', blocks: flow(), isScope: true })
      case 'blockquote': {
        const quote: MarkdownBlock = { kind: 'quote', blocks: [] }
        flow().push(quote)
        return push({ kind: 'flow', blocks: quote.blocks, isScope: true })
      }
      case 'table':
        return openTable(given)
      case 'caption':
        return openCaption()
      case 'td':
      case 'th':
        return openCell(name, given)
      default:
        return flush
    }
  }

  return {
    inline,
    open(name, given, at) {
      // Blocks within code become lines of it.
      if (code !== null) {
        return () => {
          if (code?.isLineEnd === false) addCode('\n')
        }
      }
      flush()
      const outer = region
      region = at
      const close = /^(?:pre|listing|xmp|plaintext)$/.test(name) ? openCode(given) : openKind(name, given)
      return () => {
        close()
        region = outer
      }
    },
    text(content) {
      pending += content.length
      if (code === null) inline.text(content)
      else addCode(content)
    },
    breakLine() {
      if (code === null) inline.breakLine()
      else addCode('\n')
    },
    rule(at) {
      flush()
      chars += 5
      flow().push({ kind: 'rule', region: at })
    },
    isCode: () => code !== null,
    noteLanguage(given) {
      if (code !== null && code.language === '') code.language = languageOf(given)
    },
    size: () => chars + pending,
    finish() {
      flush()
      return { blocks: root, sizes }
    },
  }
}

function languageOf(given: ReadonlyMap<string, string>): string {
  return (
    /(?:^|\s)(?:language|lang|highlight-source)-([\w+#-]{1,30})/.exec((given.get('class') ?? '').slice(0, 500))?.[1] ??
    ''
  )
}

function startOf(text: string | undefined): number {
  return text !== undefined && /^\s*\d{1,8}\s*$/.test(text) ? Number(text) : 1
}
