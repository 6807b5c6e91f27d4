package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
)

func main() {
	response, err := http.Get("https://seenby.example/json")
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		log.Fatal(response.Status)
	}
	var info struct {
		IP       string
		Location struct{ Country string }
	}
	if err := json.NewDecoder(response.Body).Decode(&info); err != nil {
		log.Fatal(err)
	}
	fmt.Println(info.IP)
	fmt.Println(info.Location.Country)
}
