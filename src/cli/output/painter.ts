export type Paint = 'bold' | 'dim' | 'cyan' | 'red' | 'green' | 'redWord' | 'greenWord'
export type Painter = (paint: Paint, text: string) => string

const codes: Record<Paint, string> = {
  bold: '1',
  dim: '2',
  cyan: '36',
  red: '31',
  green: '32',
  redWord: '31;1;4',
  greenWord: '32;1;4',
}

export function painterOf(colour: boolean): Painter {
  return colour ? (paint, text) => `\u001b[${codes[paint]}m${text}\u001b[0m` : (_, text) => text
}
