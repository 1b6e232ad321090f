import type { XmlError } from './xml-error.ts'
import { attributeOf, numberOrText, textOf } from './xml-node.ts'
import type { XmlNode } from './xml-tree.ts'

const maxErrors = 100

/** Reads values and goes on when one is wrong: all faults are told together. What is not there is 0, false or ''. */
export type XmlValues = {
  readonly errors: readonly XmlError[]
  addError(node: XmlNode | undefined, message: string): void
  number(node: XmlNode | undefined, name: string): number
  /** A whole number that is not negative. */
  count(node: XmlNode | undefined, name: string): number
  truth(node: XmlNode | undefined, name: string): boolean
  text(node: XmlNode | undefined): string
}

export function createXmlValues(): XmlValues {
  const errors: XmlError[] = []

  function addError(node: XmlNode | undefined, message: string): void {
    if (errors.length < maxErrors) errors.push({ line: node?.line ?? 1, message: `<${node?.name}>: ${message}` })
  }

  function read(node: XmlNode | undefined, name: string, expected: string, isRight: (value: number) => boolean) {
    const text = attributeOf(node, name)
    if (text === undefined) return 0
    const value = numberOrText(text)
    if (typeof value === 'number' && isRight(value)) return value
    addError(node, `${name}: expected ${expected}, not ${JSON.stringify(text.slice(0, 60))}`)
    return 0
  }

  return {
    errors,
    addError,
    number: (node, name) => read(node, name, 'a number', Number.isFinite),
    count: (node, name) =>
      read(node, name, 'a whole number that is not negative', (value) => Number.isSafeInteger(value) && value >= 0),
    truth: (node, name) => attributeOf(node, name)?.trim() === 'true',
    text(node) {
      const text = textOf(node)
      if (text === null) addError(node, 'a backslash that begins no escape')
      return text ?? ''
    },
  }
}
