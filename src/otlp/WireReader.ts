/**
 * Reads protobuf strictly: `pbf` reads past the end of a cut message without a word, this does not.
 */
import { PbfReader } from "pbf"
import { Excess, Fault } from "./Fault.ts"
import { maximumValues, tooMany } from "./limit.ts"

const varint = 0
const fixed64 = 1
const bytes = 2
const fixed32 = 5

/** Reads one field of a message into its target; a field that it does not read is skipped. */
export type FieldReader<A> = (field: number, target: A, reader: WireReader) => void

/** A position in a protobuf body. All methods throw `Fault` or a range error where the body is cut or wrong. */
export class WireReader {
  readonly pbf: PbfReader
  readonly buffer: Buffer
  end: number
  values = 0
  depth = 0

  constructor(body: Uint8Array) {
    this.pbf = new PbfReader(body)
    this.buffer = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
    this.end = body.byteLength
  }

  /** Reads fields up to the end of the current message. */
  fields<A>(target: A, read: FieldReader<A>): A {
    const pbf = this.pbf
    let field = pbf.nextField(this.end)
    while (field !== 0) {
      read(field, target, this)
      field = pbf.nextField(this.end)
    }
    // A tag of zero as the last byte ends the loop as the message's end does.
    if (pbf.pos !== this.end || pbf._valueStart === pbf.pos) {
      throw new Fault("a field ends after its message, or a tag is zero")
    }
    return target
  }

  /** Reads an embedded message. */
  message<A>(target: A, read: FieldReader<A>): A {
    if (++this.values > maximumValues) throw tooMany()
    const end = this.block()
    const outer = this.end
    this.end = end
    this.fields(target, read)
    this.end = outer
    return target
  }

  /** Reads an embedded message, and answers its bytes; goes on behind one that cannot be read, and answers why it cannot. */
  attempt<A>(target: A, read: FieldReader<A>): Uint8Array | string {
    const { depth, end: outer, pbf } = this
    if (++this.values > maximumValues) throw tooMany()
    const end = this.block()
    const start = pbf.pos
    this.end = end
    try {
      this.fields(target, read)
      return pbf.buf.subarray(start, end)
    } catch (error) {
      if (error instanceof Excess) throw error
      this.depth = depth
      pbf.pos = end
      // Else `pbf` takes what follows for the value of the tag that it read last.
      pbf._valueStart = -1
      return error instanceof Fault ? error.reason : "the span is cut or damaged"
    } finally {
      this.end = outer
    }
  }

  /** Reads the length of a block; answers where it ends. */
  block(): number {
    this.expect(bytes)
    const length = this.pbf.readVarint()
    const end = this.pbf.pos + length
    if (end > this.end) throw new Fault(`a length of ${length} bytes reaches beyond the end of its message`)
    return end
  }

  /** Text; bytes that are not UTF-8 become U+FFFD. */
  text(): string {
    const end = this.block()
    const start = this.pbf.pos
    this.pbf.pos = end
    return start === end ? "" : this.buffer.toString("utf8", start, end)
  }

  /** Bytes as lower-case hex. */
  hex(): string {
    const end = this.block()
    const start = this.pbf.pos
    this.pbf.pos = end
    if (end - start > 64) throw new Fault(`an id has ${end - start} bytes`)
    return this.buffer.toString("hex", start, end)
  }

  /** A copy of bytes: a view would keep the whole request in memory. */
  bytes(): Uint8Array {
    const end = this.block()
    const start = this.pbf.pos
    this.pbf.pos = end
    return Uint8Array.prototype.slice.call(this.buffer, start, end)
  }

  uint32(): number {
    this.expect(varint)
    return this.pbf.readVarint() >>> 0
  }

  int32(): number {
    this.expect(varint)
    return this.pbf.readVarint(true) | 0
  }

  boolean(): boolean {
    this.expect(varint)
    return this.pbf.readVarint() !== 0
  }

  int64(): bigint {
    this.expect(varint)
    const start = this.pbf.pos
    const short = this.pbf.readVarint(true)
    if (Number.isSafeInteger(short)) return BigInt(short)
    let value = 0n
    for (let at = start, shift = 0n; at < this.pbf.pos; at++, shift += 7n) {
      value |= BigInt(this.buffer[at]! & 0x7f) << shift
    }
    return BigInt.asIntN(64, value)
  }

  fixed64(): bigint {
    this.expect(fixed64)
    const value = this.pbf.dataView.getBigUint64(this.pbf.pos, true)
    this.pbf.pos += 8
    return value
  }

  fixed32(): number {
    this.expect(fixed32)
    return this.pbf.readFixed32()
  }

  double(): number {
    this.expect(fixed64)
    return this.pbf.readDouble()
  }

  private expect(type: number): void {
    if (this.pbf.type !== type) throw new Fault(`a field has wire type ${this.pbf.type}, not ${type}`)
  }
}
