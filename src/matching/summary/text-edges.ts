const sentenceEnd = /[.!?。！？\n]/
const white = /\s/

export function isWordBreak(character: string): boolean {
  return white.test(character)
}

/** Where the sentence that holds `place` begins, or a word, but not before `earliest`. */
export function sentenceStart(text: string, earliest: number, place: number): number {
  let word = place
  for (let at = place; at > earliest; at--) {
    const before = text[at - 1]!
    if (sentenceEnd.test(before) && (white.test(text[at] ?? ' ') || before > '\x7f' || before === '\n'))
      return white.test(text[at] ?? '') && at < place ? at + 1 : at
    if (white.test(before)) word = at
  }
  if (earliest === 0 || white.test(text[earliest - 1]!)) return wholeCharacter(text, earliest)
  return wholeCharacter(text, word)
}

/** The end of the last whole word before `end`; `end` where there is no end of a word in the last half. */
export function cutBack(text: string, from: number, end: number): number {
  if (white.test(text[end] ?? ' ')) return end
  const middle = from + ((end - from) >> 1)
  for (let at = end; at > middle; at--) if (white.test(text[at - 1]!)) return at - 1
  return wholeCharacter(text, end)
}

/** Not between the two units of one character. */
function wholeCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff && at > 0 ? at - 1 : at
}
