/** Of more, only the outermost are known. */
const maxLoose = 64

/**
 * Open inline elements that are not in the stack, because nothing in them is hidden yet. If one ends while a hidden element inside it is
 * still open, it ends that one too. Each has a depth: the number of elements of the stack around it.
 */
export class LooseElements {
  private count = 0
  /** Hash and length of the name of each. */
  private readonly sums = new Int32Array(maxLoose)
  private readonly sizes = new Int32Array(maxLoose)
  private readonly depths = new Int32Array(maxLoose)

  open(sum: number, size: number, depth: number): void {
    if (this.count === maxLoose) return
    this.sums[this.count] = sum
    this.sizes[this.count] = size
    this.depths[this.count++] = depth
  }

  /** Ends the innermost of this name, and those inside it. Returns its depth; 0 if there is none that is deeper than `outside`. */
  close(sum: number, size: number, outside: number): number {
    for (let at = this.count - 1; at >= 0 && this.depths[at]! > outside; at--) {
      if (this.sums[at] !== sum || this.sizes[at] !== size) continue
      this.count = at
      return this.depths[at]!
    }
    return 0
  }

  /** The stack has become as short as this: those that were deeper have ended. */
  leave(depth: number): void {
    while (this.count > 0 && this.depths[this.count - 1]! > depth) this.count--
  }

  /** An element was taken out of the stack, and those inside it stay open. */
  lift(place: number): void {
    for (let at = this.count - 1; at >= 0 && this.depths[at]! > place; at--) this.depths[at]!--
  }
}
