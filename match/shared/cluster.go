package shared

// ClusterStatus is one node's view of its cluster.
type ClusterStatus struct {
	Node    string           `json:"node" doc:"the node that answers"`
	LogAway bool             `json:"logAway" doc:"the journal store does not answer this node: its matches stand still"`
	Matches int              `json:"matches" doc:"running matches on all nodes"`
	Nodes   []ClusterNode    `json:"nodes" doc:"by name"`
	Orphans []ClusterOrphan  `json:"orphans" doc:"matches that no node runs at the moment, the oldest first; 100 at most"`
	Waiting int              `json:"waiting" doc:"orphans that wait for a node with the build that began them"`
	Streams []ClusterJournal `json:"streams" doc:"parts of the journal store; empty while it does not answer"`
}

// ClusterNode is one node.
type ClusterNode struct {
	Name      string   `json:"name"`
	URL       string   `json:"url,omitempty" doc:"its address for players; absent: the address for all nodes"`
	State     string   `json:"state" enum:"alive,suspected,gone" doc:"suspected: silent, so other nodes take over its matches"`
	Draining  bool     `json:"draining" doc:"it gives its matches to others and takes no new ones"`
	Build     string   `json:"build"`
	Sim       string   `json:"sim" doc:"version of its simulation: nodes take over matches with the same version only"`
	LogServer string   `json:"logServer,omitempty" doc:"the journal server inside the node"`
	Processor int      `json:"processor" doc:"used share of its processors, in thousandths"`
	Memory    int      `json:"memory" doc:"used share of its memory limit, in thousandths"`
	Matches   int      `json:"matches" doc:"running matches"`
	Most      int      `json:"most" doc:"largest number of matches"`
	SilentMs  int64    `json:"silentMs" doc:"time since its last message"`
	Taking    []string `json:"taking" doc:"matches that it is taking over"`
}

// ClusterOrphan is a match that no node runs at the moment.
type ClusterOrphan struct {
	Match     string   `json:"match"`
	Former    string   `json:"former,omitempty" doc:"the node that ran it last"`
	WaitingMs int64    `json:"waitingMs"`
	Nodes     []string `json:"nodes" doc:"the nodes that may take it over, in turn; empty: no live node has its build"`
}

// ClusterJournal is a part of the journal store.
type ClusterJournal struct {
	Name    string   `json:"name"`
	Leader  string   `json:"leader,omitempty" doc:"the journal server that leads it; absent: an election runs"`
	Servers []string `json:"servers" doc:"journal servers with a copy"`
}
