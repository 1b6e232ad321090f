/** Lines with fewer words are menus, captions and credits: they differ from site to site where the story is the same. */
const MIN_WORDS = 8

/** What a page tells in whole sentences: the lines of its text that have some length. All of it where there is none. */
export function proseOf(text: string): string {
  const prose = text.split('\n').filter(isSentence).join('\n')
  return prose === '' ? text : prose
}

function isSentence(line: string): boolean {
  let words = 1
  for (let at = line.indexOf(' '); at !== -1 && words < MIN_WORDS; at = line.indexOf(' ', at + 1)) words++
  // Where words are not set apart by spaces, length has to do.
  return words >= MIN_WORDS || line.length > MIN_WORDS * 8
}
