import type { Block, BlockKind, Blocks, Change, DocumentKind } from '../../core/change/change.ts'

/**
 * Blocks, one per line: `# Heading`, `* item`, `| cell | cell`, `key = value` in JSON, `[id] Title: text` in a feed; anything else is a
 * paragraph. `.name ` before a paragraph is its class.
 */
export function blocksOf(source: string, kind: DocumentKind = 'html'): Blocks {
  const trail: string[] = []
  const blocks: Block[] = []
  for (const line of source.split('\n').map((each) => each.trim())) {
    if (line === '') continue
    blocks.push(kind === 'json' ? valueBlock(line) : kind === 'feed' ? entryBlock(line) : blockOf(line, trail))
  }
  return { kind, title: '', blocks, isCut: false }
}

function blockOf(line: string, trail: string[]): Block {
  const [, marks, text] = /^(#{1,6}|\*|\||\.\S+)? ?(.*)$/s.exec(line) as unknown as [string, string | undefined, string]
  if (marks === undefined) return block('paragraph', text, trail, 'main/p')
  if (marks.startsWith('.')) return block('paragraph', text, trail, `main/p${marks}`)
  if (marks === '*') return block('item', text, trail, 'main/ul/li')
  if (marks === '|') return block('row', text.replaceAll(' | ', '\t'), trail, 'main/table/tr')
  trail.splice(marks.length - 1)
  const heading = { ...block('heading', text, trail, `main/h${marks.length}`), level: marks.length }
  trail[marks.length - 1] = text
  return heading
}

function valueBlock(line: string): Block {
  const [key, text] = line.split(' = ') as [string, string]
  return { ...block('value', text, [], key.replace(/\[\d+\]/g, '[]')), key }
}

function entryBlock(line: string): Block {
  const [, key, title, rest] = /^\[(.*?)\] ([^:]*):? ?(.*)$/.exec(line) as unknown as [string, string, string, string]
  const text = rest === '' ? title : `${title} ${rest}`
  return { ...block('entry', text, [], ''), key, title, link: `https://example.org/${key}` }
}

export function block(kind: BlockKind, text: string, trail: readonly string[] = [], place = ''): Block {
  return { kind, text, trail: trail.filter(Boolean), key: '', place, level: 0 }
}

/** A change as one line: `changed Shop › Kettle: [€ 39.90]{€ 34.50}`. */
export function told({ kind, path, pieces, before, after }: Change): string {
  const signs = { same: ['', ''], removed: ['[', ']'], added: ['{', '}'] } as const
  const words = pieces?.map((piece) => signs[piece.kind][0] + piece.text + signs[piece.kind][1]).join('')
  return `${kind}${path === '' ? '' : ` ${path}`}: ${words ?? after ?? before}`
}
