/** What is wrong with a piece of XML, and where. */
export type XmlFault = { line: number; message: string }

/** Thrown where reading can't go on. This part knows nothing of the program's error codes: callers give it one. */
export class XmlFaultError extends Error {
  readonly fault: XmlFault

  constructor(fault: XmlFault) {
    super(`line ${fault.line}: ${fault.message}`)
    this.name = 'XmlFaultError'
    this.fault = fault
  }
}
