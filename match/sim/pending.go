package sim

import (
	"github.com/fogkeep/fogkeep/match/grid"
)

const trainQueueMax = 5
const noWeapon = 0xFF

type nearIndex struct{}

func (n *nearIndex) init(w *World)  {}
func (n *nearIndex) build(w *World) {}

type pathFinder struct{}

func (p *pathFinder) init(w *World) {}

type hit struct{}
type harm struct {
	by     grid.EntityID
	slot   grid.Slot
	team   grid.Team
	amount int32
	weapon uint8
}

func (w *World) hurtArea(at grid.Pos, r grid.Dist, h harm, edge int32, own bool) {}
func (w *World) kill(e *Entity)                                                  { e.gone = true }
func (w *World) act()                                                            {}
func (w *World) work()                                                           {}
func (w *World) findPaths()                                                      {}
func (w *World) think()                                                          {}
func (w *World) move()                                                           {}
func (w *World) fight()                                                          {}
func (w *World) bury()                                                           {}
func (w *World) loseTargets()                                                    {}
func (w *World) handOver(p, q *player)                                           {}
func (m *mover) halt()                                                           {}
func (w *World) weaponOf(e *Entity, i int) uint8                                 { return w.rules.Types[e.typ].Weapons[i] }
func (w *World) weaponHits(x uint8, v *UnitType) bool                            { return true }
func (w *World) siteKnownFree(k *Knowledge, typ uint16, foot grid.Tile) bool     { return true }
func (w *World) Hash() uint64                                                    { return 0 }

type archive struct{}
