// Weapon fire: when a shot is drawn, and where it goes.
//
// How often a weapon has fired is in its burst alone (burst.ts). `draw` draws the
// shots that are due by the tick that is drawn: between two frames by the weapon's
// rate. A shot that is due later than the last frame waits for a frame for half a
// second. Without one the server had no news, and the shot is drawn. So a late
// frame that says that the weapon stopped comes in time. Where fewer shots were
// drawn than were fired, the missed ones follow within one period. Where more were
// drawn, because no frame came for longer, the next ones are left out. Rows of
// `fire` and shots at the ground say only where shots go.

import type { Handle, Tick } from "../base/ids.js";
import type { Emitter } from "../base/signal.js";
import type { Actions } from "./actions.js";
import { type Burst, noBurst, shotsAt, takeBurst } from "./burst.js";
import type { Shot, StateEvents } from "./events.js";
import type { MatchInfo } from "./info.js";
import { periodOf, weaponIdOf } from "./rules.js";
import type { World } from "./world.js";

/** How long a shot waits for a frame that may say that it was not fired. */
const WAIT_MS = 500;
/** Values are told at least so often. */
const VALUES_MS = 100;
/** The most missed shots of one weapon that are drawn; older ones are left out. */
const MISSED_MAX = 256;

/** A shot that is drawn before the server announced it. */
interface Ahead {
  /** The order's number. */
  readonly seq: number;
  /** From the answer to the shot, at most. */
  readonly takes: number;
  /** If the shot is not told by this tick, there was none. */
  until: Tick;
  /** Which shot it is, by the burst's count. */
  nth: number;
}

/** A shot to draw ahead: of a weapon of an entity, at another one or at a place in world units. */
export interface Guess extends Omit<Ahead, "nth"> {
  readonly id: Handle;
  readonly index: number;
  readonly target: Handle;
  readonly x: number;
  readonly y: number;
}

/** One weapon of an entity. */
class Gun {
  readonly now = noBurst();
  /** The state before the last row: it holds for ticks before the row's. */
  readonly before = noBurst();
  /** The shots that are drawn, by the burst's count. */
  drawn = 0;
  /** Missed shots are drawn so many ticks apart; 0: no missed shots. */
  pace = 0;
  /** From this tick on the next missed shot is drawn. */
  next = 0;
  /** Shots by the burst's count that were before this client was there. */
  past = 0;
  /** The tick of the last shot as of the last row; -Infinity before any. */
  private last = Number.NEGATIVE_INFINITY;

  /** Shots that were drawn before the server announced them: each waits for news up to its tick. */
  readonly ahead: Ahead[] = [];

  /** The rows of a frame of tick `tick`. */
  take(told: number, tick: Tick, period: number): void {
    const { now, before } = this;
    copy(before, now);
    takeBurst(now, told, tick, period);
    const more = now.shots - before.shots;
    // A row that says that a weapon stopped comes when a shot is missing, not with the last shot.
    if (!now.fires && before.fires && before.period > 0)
      this.last = Math.min(before.since + more * before.period, now.since);
    else if (now.fires || more > 0) this.last = now.since;
  }

  /** The tick of the last shot, by a tick from the last row on. */
  lastShot(tick: Tick): number {
    const { now } = this;
    return this.last + (shotsAt(now, tick) - now.shots) * now.period;
  }

  /** The shots that are to be drawn by a tick, where all shots up to `told` are known. */
  due(tick: number, told: Tick, wait: number): number {
    const { now, before } = this;
    if (tick < now.since) return Math.min(shotsAt(before, tick), now.shots);
    return shotsAt(now, Math.max(Math.min(tick, told), tick - wait));
  }
}

/** An entity in sight that fired. */
class Shooter {
  readonly guns: readonly [Gun, Gun] = [new Gun(), new Gun()];
  target: Handle = 0;
  /** Where shots without a target go, in world units; NaN: not known. */
  x = Number.NaN;
  y = Number.NaN;

  constructor(readonly id: Handle) {}
}

export class WeaponFire {
  /** Shots drawn since the start. */
  drawn = 0;
  private readonly shooters = new Map<Handle, Shooter>();
  private gone = 0;
  private left = 0;
  /** Shots to draw ahead in the next drawn frame. */
  /** Over a snapshot. */
  private kept: { id: Handle; index: number; ahead: Ahead }[] = [];
  private guesses: Guess[] = [];
  /** One object for all shots. */
  private readonly shot: { -readonly [K in keyof Shot]: Shot[K] } = {
    slot: -1,
    id: 0,
    index: 0,
    weapon: -1,
    target: 0,
    x: 0,
    y: 0,
  };

  constructor(
    private readonly info: MatchInfo,
    private readonly world: World,
    private readonly actions: Actions,
    private readonly events: Emitter<StateEvents>,
  ) {}

  /**
   * Shots that were fired in sight since the start, by the server's rows up to the last frame; without shots that
   * were left out as the page was hidden.
   */
  get fired(): number {
    let n = this.gone;
    for (const s of this.shooters.values()) n += this.seen(s, this.world.tick);
    return n - this.left;
  }

  /** How often a weapon of an entity has fired in sight, by the last frame. */
  shotsOf(id: Handle, index: number): number {
    const gun = this.shooters.get(id)?.guns[index];
    return gun ? shotsAt(gun.now, this.world.tick) : 0;
  }

  /** The tick of the last shot of a weapon of an entity, by the last frame; -Infinity: it was not seen firing. */
  lastShot(id: Handle, index: number): number {
    const gun = this.shooters.get(id)?.guns[index];
    return gun?.lastShot(this.world.tick) ?? Number.NEGATIVE_INFINITY;
  }

  /** Shots that were drawn ahead and that the server did not fire. */
  wrong = 0;

  /**
   * @internal Draws a shot of a weapon that hits at once with the next drawn frame, before the server announces it. The
   * server's shot is then not drawn again. If the server tells of none up to tick `until`, the guess was wrong, and
   * the next shot is drawn.
   */
  guess(g: Guess): void {
    this.guesses.push(g);
  }

  /** @internal The server answered an order, for all its units or one. */
  answered(seq: number, ok: boolean, unit?: Handle): void {
    for (const s of this.shooters.values()) {
      if (unit !== undefined && s.id !== unit) continue;
      for (const gun of s.guns)
        for (const a of gun.ahead)
          if (a.seq === seq) a.until = ok ? this.world.tick + a.takes : Number.NEGATIVE_INFINITY;
    }
  }

  /** Before a snapshot: draws due shots, and forgets all but what was drawn ahead. */
  clear(nowMs: number): void {
    for (const s of this.shooters.values()) {
      this.settle(s, this.world.tick, nowMs);
      this.kept.push(
        ...s.guns.flatMap((gun, index) => gun.ahead.map((ahead) => ({ id: s.id, index, ahead }))),
      );
    }
    this.shooters.clear();
  }

  /** A row of a burst: weapon `index` of an entity, in a frame of `span` ticks. */
  burst(id: Handle, index: number, told: number, span: number): void {
    const { world } = this;
    const slot = world.slot(id);
    if (slot < 0) return;
    const weapon = this.weaponId(slot, index);
    const period = periodOf(this.info.rules.weapons[weapon]);
    const gun = this.shooter(id).guns[index];
    gun.take(told, world.tick, period);
    if (world.enterTick[slot] !== world.tick || period === 0) return;
    // A server that is short of bytes tells of an entity late. The shots of the time before are not drawn.
    const most = Math.floor(span / period) + 1;
    gun.past = gun.drawn = Math.max(0, shotsAt(gun.now, world.tick) - most);
  }

  /** After the rows of a snapshot: earlier shots are not drawn. */
  begin(): void {
    for (const s of this.shooters.values()) {
      for (const gun of s.guns) gun.past = gun.drawn = shotsAt(gun.now, this.world.tick);
    }
    for (const { id, index, ahead } of this.kept) {
      if (this.world.slot(id) < 0 || ahead.until < this.world.tick) continue;
      const gun = this.shooter(id).guns[index];
      ahead.nth = ++gun.drawn;
      gun.ahead.push(ahead);
    }
    this.kept = [];
  }

  /** The last shots of an entity that leaves in this frame, where they are told. */
  last(id: Handle, first: number, second: number): void {
    const s = this.world.slot(id) < 0 ? undefined : this.shooter(id);
    if (!s) return;
    takeBurst(s.guns[0].now, first, this.world.tick, s.guns[0].now.period);
    takeBurst(s.guns[1].now, second, this.world.tick, s.guns[1].now.period);
  }

  /** An entity leaves in this frame: it was in sight until the tick before. */
  leave(id: Handle, nowMs: number): void {
    const s = this.shooters.get(id);
    if (!s) return;
    this.settle(s, this.world.tick - 1, nowMs);
    this.shooters.delete(id);
  }

  /** From now on an entity fires at another one; both are in sight. */
  aimAt(id: Handle, target: Handle): void {
    const { world } = this;
    const slot = world.slot(id);
    const aim = world.slot(target);
    if (slot < 0 || aim < 0) return;
    const s = this.shooter(id);
    s.target = target;
    this.aim(s, slot, world.posX(aim), world.posY(aim));
  }

  /** An entity fires at a place, in world units. */
  aimTo(id: Handle, x: number, y: number): void {
    const slot = this.world.slot(id);
    if (slot < 0) return;
    const s = this.shooter(id);
    s.target = 0;
    this.aim(s, slot, x, y);
  }

  /** Draws the shots that are due by a tick. */
  draw(tick: number, nowMs: number): void {
    const { tickMs } = this.info;
    const wait = WAIT_MS / tickMs;
    const told = this.world.tick + 1 - Math.max(1, Math.floor(VALUES_MS / tickMs));
    for (const g of this.guesses) this.drawAhead(g, nowMs);
    if (this.guesses.length > 0) this.guesses = [];
    for (const s of this.shooters.values()) {
      for (let i = 0; i < s.guns.length; i++) {
        const gun = s.guns[i];
        if (gun.ahead.length > 0) this.confirm(gun);
        const due = gun.due(tick, told, wait);
        const missed = due - gun.drawn;
        if (missed <= 0) {
          gun.pace = 0;
          continue;
        }
        if (gun.pace === 0) {
          this.drop(gun, missed - MISSED_MAX);
          gun.pace = missed > 1 ? gun.now.period / missed : 0;
          gun.next = tick;
        }
        while (gun.drawn < due && tick >= gun.next) {
          this.emit(s, i, nowMs);
          gun.next += gun.pace;
        }
      }
    }
  }

  /** After a pause of drawing: shots fired meanwhile are not drawn. */
  skip(): void {
    for (const s of this.shooters.values())
      for (const gun of s.guns) this.drop(gun, shotsAt(gun.now, this.world.tick) - gun.drawn);
  }

  private drawAhead(g: Guess, nowMs: number): void {
    if (this.world.slot(g.id) < 0) return;
    const s = this.shooter(g.id);
    s.target = g.target;
    s.x = g.x;
    s.y = g.y;
    this.emit(s, g.index, nowMs);
    const gun = s.guns[g.index];
    gun.ahead.push({ seq: g.seq, takes: g.takes, until: g.until, nth: gun.drawn });
  }

  /** Strikes the shots of a weapon that were drawn ahead and are told now, or that the server did not fire. */
  private confirm(gun: Gun): void {
    const { tick } = this.world;
    const told = shotsAt(gun.now, tick);
    for (let i = gun.ahead.length - 1; i >= 0; i--) {
      const { nth, until } = gun.ahead[i];
      if (told < nth && until >= tick) continue;
      gun.ahead.splice(i, 1);
      if (told >= nth) continue;
      gun.drawn--;
      this.drawn--;
      this.wrong++;
    }
  }

  private weaponId(slot: number, index: number): number {
    const { world } = this;
    const running = this.actions.confirmed(world.ids[slot]);
    return weaponIdOf(this.info.rules, world.type[slot], world.flags[slot], running, index);
  }

  private shooter(id: Handle): Shooter {
    let s = this.shooters.get(id);
    if (!s) {
      s = new Shooter(id);
      this.shooters.set(id, s);
    }
    return s;
  }

  private aim(s: Shooter, slot: number, x: number, y: number): void {
    const { world } = this;
    s.x = x;
    s.y = y;
    world.faceTowards(slot, x, y);
    world.aimX[slot] = x / 1024;
    world.aimZ[slot] = y / 1024;
    this.events.emit("aim", { id: s.id, target: s.target, x, y });
  }

  /** Draws an entity's shots up to a tick at once, as it is gone from then on. */
  private settle(s: Shooter, tick: number, nowMs: number): void {
    for (const gun of s.guns) if (gun.ahead.length > 0) this.confirm(gun);
    for (let i = 0; i < s.guns.length; i++) {
      const gun = s.guns[i];
      const due = shotsAt(gun.now, tick);
      this.drop(gun, due - gun.drawn - MISSED_MAX);
      while (gun.drawn < due) this.emit(s, i, nowMs);
    }
    this.gone += this.seen(s, tick);
  }

  private seen(s: Shooter, tick: number): number {
    let n = 0;
    for (const gun of s.guns) n += shotsAt(gun.now, tick) - gun.past;
    return n;
  }

  /** Leaves shots out. */
  private drop(gun: Gun, shots: number): void {
    if (shots <= 0) return;
    gun.drawn += shots;
    this.left += shots;
  }

  private emit(s: Shooter, index: number, nowMs: number): void {
    const { world, shot } = this;
    const slot = world.slot(s.id);
    s.guns[index].drawn++;
    this.drawn++;
    shot.slot = slot;
    shot.id = s.id;
    shot.index = index;
    shot.weapon = this.weaponId(slot, index);
    shot.target = world.slot(s.target) < 0 ? 0 : s.target;
    shot.x = s.x;
    shot.y = s.y;
    world.shotMs[slot] = nowMs;
    this.events.emit("shot", shot);
  }
}

function copy(to: Burst, from: Burst): void {
  to.shots = from.shots;
  to.since = from.since;
  to.fires = from.fires;
  to.period = from.period;
}
