type Line = { depth: number; text: string; isFlowed: boolean }

/** Text of `format=flowed` (RFC 3676) with its paragraphs joined, each within its own level of quotation. */
export function unflowed(source: string, hasDeletedSpaces: boolean): string {
  const paragraphs: string[] = []
  let pieces: string[] = []
  let last: Line | null = null
  for (const each of source.split(/\r?\n/)) {
    const line = readLine(each)
    const isJoined: boolean = last?.isFlowed === true && last.depth === line.depth && isWord(line)
    if (!isJoined && last !== null) {
      paragraphs.push(quoted(last.depth, pieces.join('')))
      pieces = []
    }
    if (isJoined && hasDeletedSpaces) pieces.push(pieces.pop()!.slice(0, -1))
    pieces.push(line.text)
    last = line
  }
  if (last !== null) paragraphs.push(quoted(last.depth, pieces.join('')))
  return paragraphs.join('\n')
}

function readLine(line: string): Line {
  let depth = 0
  while (line[depth] === '>') depth++
  const text = line.slice(line[depth] === ' ' ? depth + 1 : depth)
  return { depth, text, isFlowed: text.endsWith(' ') && text !== signature }
}

const signature = '-- '

/** A signature or an empty line begins anew, even if the line before lacks its proper end. */
const isWord = ({ text }: Line): boolean => text !== '' && text !== signature

const quoted = (depth: number, text: string): string =>
  depth === 0 ? text : `${'>'.repeat(depth)}${text === '' ? '' : ' '}${text}`
