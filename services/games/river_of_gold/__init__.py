"""River of Gold: the rules RG-1 to RG-107 as a state machine."""
