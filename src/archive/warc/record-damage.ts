import { AppError } from '../../core/errors.ts'

/** A record that cannot be read. What came before `offset` is whole; what follows it cannot be told apart any more. */
export class RecordDamage extends AppError {
  /** Where in the file the record starts, or the gzip member that holds it. */
  readonly offset: number
  readonly reason: string

  constructor(offset: number, reason: string, cause?: unknown) {
    super('record-damaged', `record at offset ${offset}: ${reason}`, { cause })
    this.name = 'RecordDamage'
    this.offset = offset
    this.reason = reason
  }
}
