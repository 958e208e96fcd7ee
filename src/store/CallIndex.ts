/**
 * Keeps the table of calls right while spans come and go.
 *
 * The calls of the store are those that `CallGrouping` makes of all its stage spans. New spans can only change the calls
 * that share a link or a key's scope with them, so these are read, grouped anew together with the new spans, and written
 * where they have changed.
 */
import type { DatabaseSync } from "node:sqlite"
import * as CallFacts from "./CallFacts.ts"
import * as CallGrouping from "./CallGrouping.ts"
import { idColumn, type SpanReader, startColumn } from "./SpanRecord.ts"
import * as Sql from "./Sql.ts"
import * as StageCache from "./StageCache.ts"
import * as StageSpan from "./StageSpan.ts"

/** A stage span with its number, and that of its trace. */
export interface NumberedStage extends StageSpan.StageSpan {
  readonly number: number
  readonly trace: number
}

/** A stage span, and the call that it is written under. */
interface Member extends NumberedStage {
  readonly call: number | undefined
}

/** Traces by id: their number, and whether this transaction has made them, so that no older span knows them. */
export interface Traces {
  readonly numberOf: (traceId: string) => number
  readonly isFresh: (traceId: string) => boolean
}

/** Stage spans that are read to see which calls new spans belong to; a key that is used more often joins by link alone. */
const readAtMost = 2_000

/** Writes the table of calls. */
export interface CallIndex {
  /** Takes in new stage spans. */
  readonly add: (spans: ReadonlyArray<NumberedStage>) => void
  /** Those of these span numbers that are stage spans. */
  readonly stagesOf: (numbers: ReadonlyArray<number>) => ReadonlyArray<number>
  /** Takes stage spans out, while the spans are still there; gives the number of calls that are gone. */
  readonly remove: (numbers: ReadonlyArray<number>) => number
  /** The keys, old and new, of calls that were written or taken out since this was asked last. */
  readonly takeKeys: () => ReadonlyArray<string>
  /** After a transaction was taken back: what it brought is not there. */
  readonly forget: () => void
}

/** An index over the tables `call_span` and `call`. */
export const make = (database: DatabaseSync, traces: Traces, reader: SpanReader): CallIndex => {
  const statement = (name: string) => database.prepare(Sql.read(name))
  const ids = (records: ReadonlyArray<unknown>) => records.map((record) => (record as { readonly id: number }).id)
  const insertCallSpan = statement("insertCallSpan")
  const moveCallSpan = statement("moveCallSpan")
  const writeCall = statement("writeCall")
  const insertCall = statement("insertCall")
  const deleteCall = statement("deleteCall")
  const lastCall = statement("lastCall")
  const callsOfKeyInTrace = statement("callsOfKeyInTrace")
  const callsOfKeyInConversation = statement("callsOfKeyInConversation")
  const callOfSpan = statement("callOfSpan")
  const callsLinkingTo = statement("callsLinkingTo")
  const callMembers = statement("callMembers")
  const readSpanOfNumber = statement("readSpanOfNumber")
  const callOfNumber = statement("callOfNumber")
  const deleteCallSpan = statement("deleteCallSpan")
  const keyOfCall = statement("keyOfCall")
  const insertOtherName = statement("insertOtherName")
  const deleteOtherNames = statement("deleteOtherNames")
  const dataVersion = database.prepare("pragma data_version")
  const keys = new Set<string>()
  const cache = StageCache.make()
  let version: unknown

  /** What another connection has written since may have given numbers of ours to other spans. */
  const refresh = (): void => {
    const current = dataVersion.get()?.["data_version"]
    if (current !== version) cache.clear()
    version = current
  }

  /** What the span says; `undefined` where it is no stage span. */
  const stageOf = (number: number): StageSpan.StageSpan | undefined => {
    const known = cache.get(number)
    if (known !== undefined) return known
    const read = StageSpan.ofRow(reader.stored(readSpanOfNumber.get(number)).row)
    if (read !== undefined) cache.set(number, read)
    return read
  }

  const membersOf = (call: number): ReadonlyArray<Member> =>
    callMembers.all(call, readAtMost).flatMap((record) => {
      const { id, trace } = record as unknown as { readonly id: number; readonly trace: number }
      const span = stageOf(id)
      return span === undefined ? [] : [{ ...span, number: id, trace, call }]
    })

  const addressColumns = (address: string): [number, Uint8Array] => [
    traces.numberOf(address.slice(0, 32)),
    idColumn(address.slice(33))
  ]

  /** The calls of older spans that could be joined with this one. */
  const neighbours = (span: NumberedStage, asked: Set<string>): ReadonlyArray<number> => {
    const found: Array<number> = []
    const once = (question: string | undefined, ask: () => ReadonlyArray<unknown>): void => {
      if (question === undefined || asked.has(question)) return
      asked.add(question)
      found.push(...ids(ask()))
    }
    if (!traces.isFresh(span.traceId)) {
      once(CallGrouping.traceScope(span), () => callsOfKeyInTrace.all(span.trace, span.key!))
      once(span.address, () => callsLinkingTo.all(...addressColumns(span.address)))
    }
    once(CallGrouping.conversationScope(span), () => callsOfKeyInConversation.all(span.conversation!, span.key!))
    for (const target of span.targets) {
      if (traces.isFresh(target.slice(0, 32))) continue
      once(target, () => callsLinkingTo.all(...addressColumns(target)))
      once(`is ${target}`, () => callOfSpan.all(...addressColumns(target)))
    }
    return found
  }

  /** The new spans, and the older ones that can be joined with them. */
  const reach = (spans: ReadonlyArray<Member>): { readonly all: Array<Member>; readonly calls: Set<number> } => {
    const all = [...spans]
    const calls = new Set(spans.flatMap(({ call }) => call ?? []))
    const asked = new Set<string>()
    let older = 0
    // The list grows while it is gone through.
    for (const span of all) {
      if (older >= readAtMost) break
      for (const call of neighbours(span, asked)) {
        if (calls.has(call)) continue
        calls.add(call)
        const members = membersOf(call)
        older += members.length
        all.push(...members)
      }
    }
    return { all, calls }
  }

  const write = (call: number, members: ReadonlyArray<Member>, isNew: boolean): void => {
    const facts = CallFacts.ofSpans(members)
    const statement = isNew ? insertCall : writeCall
    statement.run(
      call,
      facts.key,
      facts.id ?? null,
      facts.tool,
      facts.known ? 1 : 0,
      facts.state ?? null,
      facts.outcome ?? null,
      facts.conversation ?? null,
      facts.service ?? null,
      startColumn(facts.started),
      facts.execution ?? null,
      facts.wait ?? null
    )
    keys.add(facts.key)
    for (const { conversation, key } of members) {
      if (conversation === undefined || key === undefined) continue
      if (conversation !== facts.conversation || key !== facts.key) insertOtherName.run(conversation, key, call)
    }
  }

  /** Groups the members and writes what is not as it was; `touched` are calls that have lost or may lose members. */
  const settle = (all: ReadonlyArray<Member>, touched: ReadonlySet<number>): number => {
    const free = new Set(touched)
    for (const call of touched) {
      keys.add(String(keyOfCall.get(call)?.["key"]))
      deleteOtherNames.run(call)
    }
    let next = ids(lastCall.all())[0]!
    const groups = CallGrouping.group(all)
    const sizes = new Map<number, number>()
    for (const { call } of all) if (call !== undefined) sizes.set(call, (sizes.get(call) ?? 0) + 1)
    for (const members of groups) {
      const own = members.find(({ call }) => call !== undefined && free.has(call))?.call
      if (own !== undefined) free.delete(own)
      const call = own ?? ++next
      for (const member of members) {
        if (member.call === undefined) insertCallSpan.run(member.number, call, member.trace, member.key ?? null)
        else if (member.call !== call) moveCallSpan.run(call, member.number)
      }
      const same = members.every((member) => member.call === call) && sizes.get(call) === members.length
      if (!same || touched.has(call)) write(call, members, own === undefined)
    }
    for (const call of free) deleteCall.run(call)
    return free.size
  }

  return {
    forget: () => {
      keys.clear()
      cache.clear()
    },
    takeKeys: () => {
      const taken = [...keys]
      keys.clear()
      return taken
    },
    add: (spans) => {
      if (spans.length === 0) return
      refresh()
      for (const span of spans) cache.set(span.number, span)
      const { all, calls } = reach(spans.map((span) => ({ ...span, call: undefined })))
      settle(all, calls)
    },
    stagesOf: (numbers) => numbers.filter((number) => callOfNumber.get(number) !== undefined),
    remove: (numbers) => {
      refresh()
      const gone = new Set(numbers)
      const touched = new Set(numbers.flatMap((number) => ids(callOfNumber.all(number))))
      // A call that loses its decision, or its second one, may join others, or let them join.
      const { all, calls } = reach([...touched].flatMap(membersOf))
      for (const call of calls) touched.add(call)
      for (const number of numbers) {
        deleteCallSpan.run(number)
        cache.delete(number)
      }
      return settle(all.filter(({ number }) => !gone.has(number)), touched)
    }
  }
}
