/** What is wrong with a piece of XML, and where. */
export type XmlError = { line: number; message: string }

/** Thrown where reading can't go on. This part knows nothing of the program's error codes: callers give it one. */
export class InvalidXmlError extends Error {
  readonly error: XmlError

  constructor(error: XmlError) {
    super(`line ${error.line}: ${error.message}`)
    this.name = 'InvalidXmlError'
    this.error = error
  }
}
